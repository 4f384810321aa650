// SPDX-License-Identifier: MIT
// The cells of borders against their definition, for all small sizes and coordinates.
#include "lang/region/border_cells.h"

#include <gtest/gtest.h>

#include <tuple>

#include "lang/region/points.h"
#include "runtime/matrix/index_math.h"

namespace pb {
namespace {

std::int64_t mapped(Border border, std::int64_t at, std::int64_t size) {
  if (border == Border::Wrap) return pbrt::wrapped(at, size);
  return border == Border::Clamp ? pbrt::clamped(at, size) : pbrt::mirrored(at, size);
}

/// The cell that the border maps `at` to, found by stepping from cell to cell.
std::int64_t walked(Border border, std::int64_t at, std::int64_t size) {
  std::int64_t cell = 0;
  std::int64_t step = at < 0 ? -1 : 1;
  for (std::int64_t i = 0; i < (at < 0 ? -at : at); ++i) {
    const std::int64_t next = cell + step;
    const bool is_inside = next >= 0 && next < size;
    if (border == Border::Wrap) cell = is_inside ? next : next < 0 ? size - 1 : 0;
    if (border == Border::Clamp && is_inside) cell = next;
    if (border != Border::Mirror || size == 1) continue;
    if (!is_inside) step = -step;
    cell += step;
  }
  return cell;
}

constexpr Border kBorders[] = {Border::Wrap, Border::Clamp, Border::Mirror};

TEST(BorderCells, FunctionsAreWhatSteppingFinds) {
  for (const Border border : kBorders)
    for (std::int64_t size = 1; size <= 6; ++size)
      for (std::int64_t at = -40; at <= 40; ++at)
        EXPECT_EQ(mapped(border, at, size), walked(border, at, size)) << word_of(border) << " " << at << " of " << size;
}

/// Tests of the cells that an instance `i` reads at `factor * i + shift` of a matrix, whose size is n or a number.
class Coordinates : public ::testing::TestWithParam<std::tuple<Border, int, int, int>> {};

TEST_P(Coordinates, AreThoseOfTheDefinition) {
  const auto [border, factor, shift, fixed] = GetParam();
  const RegionContext context;
  const IndexExpr size = fixed > 0 ? index_const(fixed) : index_symbol("n");
  const Region domain =
      Region::universe(context, {"i"})
          .where_nonnegative(index_symbol("i"))
          .where_nonnegative(index_sub(index_sub(index_symbol("n"), index_const(1)), index_symbol("i")));
  const IndexExpr at = index_add(index_mul(index_const(factor), index_symbol("i")), index_const(shift));
  const RegionMap cells = border_cells(domain, {"x'"}, {{{at, index_add(at, index_const(1))}, size, border}});
  for (std::int64_t n = 1; n <= 7; ++n) {
    const std::int64_t extent = fixed > 0 ? fixed : n;
    for (std::int64_t i = 0; i < n; ++i) {
      const Region instance = domain.where_zero(index_sub(index_symbol("i"), index_const(i)));
      const Region read = cells.apply(instance);
      const std::int64_t own = mapped(border, factor * i + shift, extent);
      EXPECT_TRUE(contains_point(read, {{"n", n}}, {own})) << n << " " << i;
      const std::int64_t distance = std::max(-(factor * i + shift), factor * i + shift - extent + 1);
      const bool is_exact =
          fixed > 0 || border == Border::Clamp || distance <= (border == Border::Wrap ? 2 * extent : extent - 1);
      for (std::int64_t x = -2; x <= extent + 1 && is_exact; ++x)
        EXPECT_EQ(contains_point(read, {{"n", n}}, {x}), x == own) << n << " " << i << " " << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Coordinates,
                         ::testing::Combine(::testing::ValuesIn(kBorders), ::testing::Values(1, -1, 2, 0),
                                            ::testing::Values(0, -1, 1, 3, -5), ::testing::Values(0, 1, 4)));

TEST(BorderCells, CornersAreMappedInBothDimensions) {
  const RegionContext context;
  Region domain = Region::universe(context, {"i", "j"});
  for (const char* var : {"i", "j"})
    domain = domain.where_nonnegative(index_symbol(var))
                 .where_nonnegative(index_sub(index_sub(index_symbol("n"), index_const(1)), index_symbol(var)));
  const auto interval = [](const char* var, std::int64_t by, Border border) {
    const IndexExpr at = index_add(index_symbol(var), index_const(by));
    return BorderedInterval{{at, index_add(at, index_const(1))}, index_symbol("n"), border};
  };
  const RegionMap cells =
      border_cells(domain, {"x'", "y'"}, {interval("i", -1, Border::Wrap), interval("j", 1, Border::Mirror)});
  EXPECT_TRUE(cells.is_single_valued());
  const Region corner = domain.where_zero(index_symbol("i"))
                            .where_zero(index_sub(index_sub(index_symbol("n"), index_const(1)), index_symbol("j")));
  EXPECT_TRUE(contains_point(cells.apply(corner), {{"n", 5}}, {4, 3}));
}

TEST(BorderCells, AllOfADimensionWithoutABorderStays) {
  const RegionContext context;
  const Region domain = Region::universe(context, {"i"}).where_zero(index_symbol("i"));
  const RegionMap cells =
      border_cells(domain, {"x'"}, {{{index_const(0), index_symbol("n")}, index_symbol("n"), Border::None}});
  EXPECT_TRUE(contains_point(cells.apply(domain), {{"n", 5}}, {4}));
  EXPECT_FALSE(contains_point(cells.apply(domain), {{"n", 5}}, {5}));
}

}  // namespace
}  // namespace pb
