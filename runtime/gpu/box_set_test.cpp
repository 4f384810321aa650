// SPDX-License-Identifier: MIT
#include "runtime/gpu/box_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "runtime/gpu/layout.h"
#include "runtime/matrix/region_handle.h"

namespace pbrt::gpu {
namespace {

using Cells = std::set<std::vector<std::int64_t>>;

void add_cells(Cells& cells, const GridBox& box) {
  if (box.is_empty()) return;
  std::vector<std::int64_t> at(box.lo.begin(), box.lo.begin() + box.num_dims);
  for (;;) {
    cells.insert(at);
    int d = 0;
    while (d < box.num_dims && ++at[static_cast<std::size_t>(d)] == box.hi[d])
      at[static_cast<std::size_t>(d)] = box.lo[d], ++d;
    if (d == box.num_dims) return;
  }
}

Cells cells_of(const BoxSet& set) {
  Cells cells;
  for (const GridBox& box : set.boxes()) add_cells(cells, box);
  return cells;
}

GridBox random_box(std::mt19937& rng, int num_dims) {
  GridBox box;
  box.num_dims = num_dims;
  for (int d = 0; d < num_dims; ++d) {
    box.lo[d] = static_cast<std::int64_t>(rng() % 6);
    box.hi[d] = box.lo[d] + static_cast<std::int64_t>(rng() % 4);
  }
  return box;
}

TEST(BoxSet, AgreesWithSetsOfCells) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const int num_dims = 1 + static_cast<int>(rng() % 3);
    BoxSet set;
    Cells expected;
    for (int step = 0; step < 12; ++step) {
      const GridBox box = random_box(rng, num_dims);
      Cells cells;
      add_cells(cells, box);
      ASSERT_EQ(set.overlaps(box),
                std::any_of(cells.begin(), cells.end(), [&](const auto& c) { return expected.contains(c); }));
      if (rng() % 2 == 0) {
        set.add(box);
        expected.insert(cells.begin(), cells.end());
      } else {
        set.remove(box);
        for (const auto& cell : cells) expected.erase(cell);
      }
      ASSERT_EQ(cells_of(set), expected);
      ASSERT_EQ(set.num_cells(), static_cast<std::int64_t>(expected.size())) << "boxes overlap";
    }
  }
}

TEST(BoxSet, MergesWhatMakesABox) {
  BoxSet set;
  for (std::int64_t y = 0; y < 4; ++y)
    for (std::int64_t x = 0; x < 4; ++x) {
      GridBox cell;
      cell.num_dims = 2;
      cell.lo = {x, y};
      cell.hi = {x + 1, y + 1};
      set.add(cell);
    }
  EXPECT_EQ(set.boxes().size(), 1U);
}

GridBox cell_at(std::int64_t x, std::int64_t y) {
  GridBox cell;
  cell.num_dims = 2;
  cell.lo = {x, y};
  cell.hi = {x + 1, y + 1};
  return cell;
}

TEST(BoxSet, MergesWhatAHoleLeftOnceItIsFilled) {
  GridBox all = cell_at(0, 0);
  all.hi = {5, 5};
  BoxSet set(all);
  set.remove(cell_at(2, 2));
  EXPECT_EQ(set.boxes().size(), 4U);
  set.add(cell_at(2, 2));
  ASSERT_EQ(set.boxes().size(), 1U);
  EXPECT_EQ(set.boxes()[0], all);
}

TEST(BoxSet, HasABoxWholeIfOneOfItsBoxesHas) {
  GridBox square = cell_at(2, 2);
  square.hi = {6, 6};
  BoxSet set(square);
  set.add(cell_at(9, 9));
  EXPECT_TRUE(set.has_whole(square));
  EXPECT_TRUE(set.has_whole(cell_at(5, 2)));
  EXPECT_TRUE(set.has_whole(cell_at(9, 9)));
  EXPECT_FALSE(set.has_whole(cell_at(6, 2)));
  GridBox wider = square;
  wider.lo[0] = 1;
  EXPECT_FALSE(set.has_whole(wider));
  EXPECT_FALSE(BoxSet().has_whole(square));
}

/// The boxes are every second column and row, as parts of a matrix that many small launches read. If all pairs were
/// looked at each time, this would take 2500 cubed steps.
TEST(BoxSet, GrowsInLinearTime) {
  BoxSet set;
  for (std::int64_t y = 0; y < 50; ++y)
    for (std::int64_t x = 0; x < 50; ++x) set.add(cell_at(2 * x, 2 * y));
  EXPECT_EQ(set.boxes().size(), 2500U);
  EXPECT_EQ(set.num_cells(), 2500);
}

/// Offsets, in elements, of all cells of a view.
std::set<std::int64_t> offsets_of(const OwnedView& view) {
  std::set<std::int64_t> offsets;
  if (view.is_empty()) return offsets;
  std::vector<std::int64_t> at(static_cast<std::size_t>(view.num_dims), 0);
  for (;;) {
    std::int64_t offset = view.offset;
    for (int d = 0; d < view.num_dims; ++d) offset += at[static_cast<std::size_t>(d)] * view.strides[d];
    offsets.insert(offset);
    int d = 0;
    while (d < view.num_dims && ++at[static_cast<std::size_t>(d)] == view.sizes[d])
      at[static_cast<std::size_t>(d)] = 0, ++d;
    if (d == view.num_dims) return offsets;
  }
}

std::set<std::int64_t> offsets_of(const std::vector<CopyShape>& shapes, std::size_t element_bytes) {
  std::set<std::int64_t> offsets;
  for (const CopyShape& shape : shapes)
    for (std::size_t slice = 0; slice < shape.slices; ++slice)
      for (std::size_t row = 0; row < shape.rows; ++row)
        for (std::size_t byte = 0; byte < shape.row_bytes; byte += element_bytes)
          offsets.insert(static_cast<std::int64_t>(
              (shape.offset + slice * shape.slice_pitch + row * shape.row_pitch + byte) / element_bytes));
  return offsets;
}

/// A random view of a dense matrix: a sub-box with slices taken and perhaps transposed.
OwnedView random_view(std::mt19937& rng, const std::vector<std::int64_t>& sizes) {
  OwnedView view;
  view.element_bytes = 4;
  std::int64_t stride = 1;
  for (const std::int64_t size : sizes) {
    const std::int64_t lo = static_cast<std::int64_t>(rng() % static_cast<unsigned>(size));
    view.offset += lo * stride;
    if (rng() % 4 != 0) {
      view.sizes[view.num_dims] = 1 + static_cast<std::int64_t>(rng() % static_cast<unsigned>(size - lo));
      view.strides[view.num_dims++] = stride;
    }
    stride *= size;
  }
  if (rng() % 3 == 0) {
    std::reverse(view.sizes.begin(), view.sizes.begin() + view.num_dims);
    std::reverse(view.strides.begin(), view.strides.begin() + view.num_dims);
  }
  return view;
}

TEST(Layout, BoxesAreTheCellsOfViewsAndSurviveRefinement) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    std::vector<std::int64_t> sizes;
    std::int64_t count = 1;
    for (unsigned d = 0; d < 1 + rng() % 4; ++d) sizes.push_back(1 + static_cast<std::int64_t>(rng() % 5));
    for (const std::int64_t size : sizes) count *= size;
    Layout layout(count, 4);
    BoxSet set;
    std::set<std::int64_t> expected;
    for (int step = 0; step < 6; ++step) {
      const OwnedView view = random_view(rng, sizes);
      const auto refined = layout.refined_for(view);
      ASSERT_TRUE(refined.has_value());
      set = refined->convert(set, layout);
      layout = *refined;
      const GridBox box = layout.box_of(view);
      ASSERT_EQ(offsets_of(layout.copy_shapes(BoxSet(box)), 4), offsets_of(view));
      const bool adds = rng() % 3 != 0;
      adds ? set.add(box) : set.remove(box);
      for (const std::int64_t offset : offsets_of(view)) {
        if (adds) expected.insert(offset);
        if (!adds) expected.erase(offset);
      }
      ASSERT_EQ(offsets_of(layout.copy_shapes(set), 4), expected);
      ASSERT_EQ(set.num_cells(), static_cast<std::int64_t>(expected.size()));
    }
  }
}

TEST(Layout, ViewsMeetWhereTheyHaveAnElementInCommon) {
  int num_meeting = 0;
  constexpr int kSeeds = 2000;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const std::vector<std::int64_t> sizes = {5, 4, 3};
    const OwnedView a = random_view(rng, sizes), b = random_view(rng, sizes);
    const std::set<std::int64_t> of_a = offsets_of(a), of_b = offsets_of(b);
    const bool meet = std::any_of(of_a.begin(), of_a.end(), [&](std::int64_t offset) { return of_b.contains(offset); });
    ASSERT_EQ(Layout(60, 4).may_meet(a, b), meet);
    num_meeting += meet ? 1 : 0;
  }
  EXPECT_GT(num_meeting, kSeeds / 10);
  EXPECT_LT(num_meeting, kSeeds - kSeeds / 10);
}

TEST(Layout, ViewsOfTwoShapesMayMeet) {
  OwnedView a, b;
  a.element_bytes = b.element_bytes = 4;
  a.num_dims = b.num_dims = 2;
  a.sizes = b.sizes = {2, 2};
  a.strides = {1, 6};
  b.strides = {1, 4};
  EXPECT_TRUE(Layout(60, 4).may_meet(a, b));
  b.sizes = {2, 0};
  EXPECT_FALSE(Layout(60, 4).may_meet(a, b)) << "one has no elements";
  // Elements across the ends of rows, of which one view knows nothing.
  b.num_dims = 1;
  b.sizes = {4};
  b.offset = 8;
  EXPECT_FALSE(Layout(60, 4).may_meet(a, b));
  EXPECT_FALSE(Layout(60, 4).may_meet(b, a));
  b.offset = 4;
  EXPECT_TRUE(Layout(60, 4).may_meet(a, b));
  EXPECT_TRUE(Layout(60, 4).may_meet(b, a));
}

TEST(Layout, RefusesViewsOfAnotherShape) {
  const Layout layout(100, 8);
  OwnedView view;
  view.element_bytes = 8;
  view.num_dims = 2;
  view.sizes = {4, 3};
  view.strides = {1, 6};
  const auto six = layout.refined_for(view);
  ASSERT_TRUE(six.has_value());
  view.strides = {1, 4};
  EXPECT_FALSE(six->refined_for(view).has_value());  // 4 does not divide 6
  view.strides = {1, 54};
  EXPECT_FALSE(six->refined_for(view).has_value());  // leaves the storage
  view.element_bytes = 4;
  view.strides = {1, 6};
  EXPECT_FALSE(six->refined_for(view).has_value());
}

TEST(Layout, WholeMatricesAreOneContiguousCopy) {
  const MatrixRegion<double, 3> m = MatrixRegion<double, 3>::allocate(4, 5, 6);
  const OwnedView view = own(*m.storage_ref().get(), m.raw());
  const Layout layout = *Layout(120, 8).refined_for(view);
  const auto shapes = layout.copy_shapes(BoxSet(layout.box_of(view)));
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].row_bytes, 120U * 8U);
  EXPECT_EQ(shapes[0].rows, 1U);
}

}  // namespace
}  // namespace pbrt::gpu
