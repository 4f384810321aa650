// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "runtime/matrix/blocks/block_sizes.h"
#include "runtime/matrix/blocks/piece_borders.h"
#include "runtime/matrix/blocks/tile_loops.h"
#include "runtime/matrix/view.h"

namespace pbrt::simd {
namespace {

TEST(BlockSizes, FillThePartsOfACache) {
  constexpr std::int64_t kCache = std::int64_t{2} << 20;
  EXPECT_EQ(block_sizes(8, 8, kCache), (BlockSizes{512, 102, 256}));
  EXPECT_EQ(block_sizes(8, 8, kCache / 2), (BlockSizes{256, 51, 256}));
  EXPECT_EQ(block_sizes(4, 4, kCache), (BlockSizes{512, 102, 512}));
  // Nine cells per round.
  EXPECT_EQ(block_sizes(72, 72, kCache), (BlockSizes{520, 104, 28}));
  // Nothing in panels, and more than a cache in each.
  EXPECT_EQ(block_sizes(0, 0, kCache), (BlockSizes{512, 102, 2048}));
  EXPECT_EQ(block_sizes(std::int64_t{1} << 30, 8, kCache), (BlockSizes{1, 1024, 1}));
  EXPECT_GT(second_cache_bytes(), 0);
}

TEST(BlockSizes, PartsAreEqualAndWhole) {
  EXPECT_EQ(equal_part(512, 480, 24), 528);   // one part, a little longer
  EXPECT_EQ(equal_part(1024, 480, 24), 528);  // two
  EXPECT_EQ(equal_part(1200, 480, 24), 600);
  EXPECT_EQ(equal_part(1201, 480, 24), 408);  // three
  EXPECT_EQ(equal_part(1, 480, 24), 24);
  for (std::int64_t extent = 1; extent < 400; ++extent)
    for (const std::int64_t most : {1, 7, 96}) {
      const std::int64_t part = equal_part(extent, most, 8);
      EXPECT_EQ(part % 8, 0);
      EXPECT_LE(part, most + most / 4 + 7);
    }
}

/// Expects that the panel of tile `tile` holds what the instances read in the rounds [begin, end).
template <class S, bool kOfLanes, class E, int N>
void expect_panels(const BasicView<const E, N, false>& region, std::int64_t step, int walked,
                   std::int64_t num_instances, std::int64_t begin, std::int64_t end) {
  const PanelSource source(region, step, walked);
  detail::PanelBlock<S, kOfLanes, E, N> block(source, num_instances, end - begin);
  std::vector<std::byte> memory(block.bytes() + 64);
  std::byte* at = memory.data() + 64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
  block.place_at(at);
  block.copy(0, num_instances, 0, begin, end);
  constexpr int kWidth = detail::PanelBlock<S, kOfLanes, E, N>::kWidth;
  for (std::int64_t t = 0; t < detail::num_tiles(num_instances, kWidth); ++t) {
    const std::int64_t first = detail::tile_begin(0, num_instances, t, kWidth);
    const auto panel = block.of_tile(t);
    IndexT cell[3] = {};
    const auto expect_cell = [&] {
      const E* cells = [&] {
        if constexpr (N == 1) return panel.at(cell[0]);
        if constexpr (N == 2) return panel.at(cell[0], cell[1]);
        if constexpr (N == 3) return panel.at(cell[0], cell[1], cell[2]);
      }();
      const E* wanted = region.address();
      for (int d = 0; d < N; ++d) wanted += cell[d] * region.stride(d);
      for (int j = 0; j < kWidth; ++j)
        ASSERT_EQ(cells[j], wanted[(first + j) * step]) << "instance " << first + j << " of tile " << t;
    };
    for (cell[0] = 0; cell[0] < region.size(0); ++cell[0])
      for (cell[1] = 0; cell[1] < (N > 1 ? region.size(N > 1 ? 1 : 0) : 1); ++cell[1])
        for (cell[2] = 0; cell[2] < (N > 2 ? region.size(N > 2 ? 2 : 0) : 1); ++cell[2])
          if (cell[walked] >= begin && cell[walked] < end) expect_cell();
  }
}

template <class E>
std::vector<E> counted_elements() {
  std::vector<E> out(64000);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<E>(i % 251);
  return out;
}

template <class E>
void expect_all_panels() {
  using S = typename TileShapes<E>::Wide;
  const std::vector<E> elements = counted_elements<E>();
  const auto try_both = [&]<int N>(const BasicView<const E, N, false>& region, std::int64_t step, int walked) {
    for (const auto& [begin, end] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {0, 3}, {1, 9}, {2, 21}}) {
      if (end > region.size(walked)) continue;
      expect_panels<S, true>(region, step, walked, S::kWidth + 5, begin, end);
      expect_panels<S, false>(region, step, walked, 2 * S::kRows + 1, begin, end);
    }
  };
  const IndexT sizes[3] = {3, 4, 21}, walked_first[3] = {21, 2, 3}, one[1] = {21};
  const std::int64_t dense[3] = {1, 3, 12}, apart[3] = {1, 5, 29}, strided[3] = {2, 6, 24}, first[3] = {1, 23, 47};
  const std::int64_t unit[1] = {1}, far[1] = {101};
  try_both(BasicView<const E, 1, false>(elements.data(), one, unit), 23, 0);  // rows
  try_both(BasicView<const E, 1, false>(elements.data(), one, far), 1, 0);    // columns
  try_both(BasicView<const E, 1, false>(elements.data(), one, far), 3, 0);
  try_both(BasicView<const E, 3, false>(elements.data(), sizes, dense), 252, 2);
  try_both(BasicView<const E, 3, false>(elements.data(), sizes, strided), 1, 2);
  try_both(BasicView<const E, 3, false>(elements.data(), sizes, apart), 1, 2);
  try_both(BasicView<const E, 3, false>(elements.data(), walked_first, first), 7, 0);
  const IndexT no_cells[2] = {0, 21};
  const std::int64_t empty[2] = {1, 1};
  try_both(BasicView<const E, 2, false>(elements.data(), no_cells, empty), 1, 1);
}

TEST(Panels, HoldWhatInstancesRead) {
  expect_all_panels<double>();
  expect_all_panels<float>();
  expect_all_panels<int>();
  expect_all_panels<std::int16_t>();
}

/// Calls `check(borders, box, is_instance)` for boxes that two conditions cut in many ways.
template <class Check>
void with_trapezoids(const Check& check) {
  std::mt19937 random(4);
  const auto below = [&](std::uint32_t end) { return static_cast<std::int64_t>(random() % end); };
  for (int run = 0; run < 100; ++run) {
    const TileBox box{below(50), 50 + below(150), below(50), 50 + below(60)};
    const auto plane = [&] { return HalfPlane{below(200) - 100, below(3) - 1, below(3) - 1}; };
    const HalfPlane a = plane(), b = plane();
    check(Borders{a, b}, box,
          [&](std::int64_t lane, std::int64_t row) { return a.value(lane, row) >= 0 && b.value(lane, row) >= 0; });
  }
}

TEST(Borders, KnowWhatLiesInABox) {
  with_trapezoids([](const Borders<2>& borders, const TileBox& box, const auto& is_instance) {
    bool all = true, none = true;
    std::vector<bool> has_lane(200), has_row(200);
    for (std::int64_t row = box.row_begin; row < box.row_end; ++row) {
      const LaneSpan span = borders.lanes_of(row, {box.lane_begin, box.lane_end});
      for (std::int64_t lane = box.lane_begin; lane < box.lane_end; ++lane) {
        const bool is_one = is_instance(lane, row);
        ASSERT_EQ(span.begin <= lane && lane < span.end, is_one) << lane << ", " << row;
        all &= is_one;
        none &= !is_one;
        if (!is_one) continue;
        has_lane[static_cast<std::size_t>(lane)] = has_row[static_cast<std::size_t>(row)] = true;
      }
    }
    EXPECT_EQ(borders.surround(box), all);
    EXPECT_TRUE(none || !borders.exclude(box));
    const TileBox around = borders.around(box);
    ASSERT_EQ(around.is_empty(), none);
    const TileBox nothing{box.lane_begin, box.lane_begin, box.row_begin, box.row_begin};
    EXPECT_TRUE(!none || around == nothing);
    for (std::int64_t i = 0; !none && i < 200; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(around.lane_begin <= i && i < around.lane_end, has_lane[at]) << "lane " << i;
      EXPECT_EQ(around.row_begin <= i && i < around.row_end, has_row[at]) << "row " << i;
    }
  });
  EXPECT_TRUE(Borders<0>().surround({0, 3, 0, 3}));
  EXPECT_EQ(Borders<0>().around({0, 3, 1, 3}), (TileBox{0, 3, 1, 3}));
}

TEST(TileLoops, RunEachInstanceOnce) {
  using S = TileShapes<double>::Wide;
  constexpr std::int64_t kSide = 200, kRounds = 5000;  // the rounds of several blocks
  int num_cut = 0;
  with_trapezoids([&](const Borders<2>& borders, const TileBox& box, const auto& is_instance) {
    const TileBox around = borders.around(box);
    if (around.lane_end - around.lane_begin < S::kWidth || around.row_end - around.row_begin < S::kRows) return;
    std::vector<int> stored(kSide * kSide);
    std::vector<std::int64_t> rounds_of(kSide * kSide);
    const auto each_point = [&](const TilePlace& place, const auto& f) {
      for (int r = 0; r < S::kRows; ++r)
        for (int x = 0; x < S::kWidth; ++x)
          if (place.stored == nullptr || (place.stored[r].begin <= x && x < place.stored[r].end))
            f(static_cast<std::size_t>((place.row + r) * kSide + place.lane + x));
    };
    for_each_tile<S>({around, 0, kRounds}, borders, 64, std::tuple<>(), std::tuple<>(),
                     [&](const TileRounds<S>& rounds, const TilePlace& place) {
                       num_cut += place.stored != nullptr ? 1 : 0;
                       each_point(place, [&](std::size_t at) {
                         EXPECT_EQ(rounds_of[at], rounds.begin);
                         rounds_of[at] = rounds.end;
                         stored[at] += rounds.is_last ? 1 : 0;
                       });
                     });
    for (std::int64_t row = 0; row < kSide; ++row)
      for (std::int64_t lane = 0; lane < kSide; ++lane) {
        const bool is_inside =
            lane >= box.lane_begin && lane < box.lane_end && row >= box.row_begin && row < box.row_end;
        ASSERT_EQ(stored[static_cast<std::size_t>(row * kSide + lane)], is_inside && is_instance(lane, row) ? 1 : 0)
            << "lane " << lane << ", row " << row;
      }
  });
  EXPECT_GT(num_cut, 0);
}

}  // namespace
}  // namespace pbrt::simd
