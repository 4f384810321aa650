// SPDX-License-Identifier: MIT
// Pieces and loop nests of regions that are no boxes, point by point against the region.
#include "lang/region/nest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lang/region/points.h"
#include "lang/region/region.h"

namespace pb {
namespace {

using ::testing::IsEmpty;
using Point = std::vector<std::int64_t>;

IndexExpr e(const std::string& text) { return parse_index_expr(text).value_or(index_symbol("unread")); }

/// A plane [0, n) x [0, m) of which the cells with `conditions` >= 0 and `zeros` == 0 are kept.
struct Plane {
  RegionContext context;
  Region known = Region::universe(context, {}).where_nonnegative(e("n")).where_nonnegative(e("m"));
  Region all =
      region_of_box(context, {"x", "y"}, {{{e("0"), e("n")}, {e("0"), e("m")}}, {}}).intersect_parameters(known);

  [[nodiscard]] Region kept(const std::vector<std::string>& conditions,
                            const std::vector<std::string>& zeros = {}) const {
    Region out = all;
    for (const std::string& condition : conditions) out = out.where_nonnegative(e(condition));
    for (const std::string& zero : zeros) out = out.where_zero(e(zero));
    return out;
  }
  /// Points x, y at which x = a*i + b and y = c*i + d for some i.
  [[nodiscard]] Region image(const std::string& x, const std::string& y) const {
    const Region instances = Region::universe(context, {"i", "j"});
    return RegionMap::to_box(context, {"i", "j"}, {"x", "y"},
                             {{e(x), index_add(e(x), index_const(1))}, {e(y), index_add(e(y), index_const(1))}})
        .apply(instances)
        .intersect(all);
  }
};

SymbolValues sizes_of(std::int64_t n, std::int64_t m) { return {{"n", n}, {"m", m}}; }

bool holds(const std::vector<IndexExpr>& conditions, const SymbolValues& values) {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const IndexExpr& condition) { return evaluate(condition, values).value_or(-1) >= 0; });
}

bool is_in(const RegionBox& box, const SymbolValues& sizes, const Point& point) {
  SymbolValues values = sizes;
  values.emplace_back("x", point[0]);
  values.emplace_back("y", point[1]);
  for (std::size_t d = 0; d < 2; ++d)
    if (point[d] < *evaluate(box.dims[d].lo, sizes) || point[d] >= *evaluate(box.dims[d].hi, sizes)) return false;
  return holds(box.guards, sizes) && holds(box.conditions, values);
}

/// Runs the loops from `depth` on.
void run(const RegionNest& nest, std::size_t depth, SymbolValues& values, std::vector<SymbolValues>& out) {
  if (depth == nest.levels.size()) {
    if (holds(nest.conditions, values)) out.push_back(values);
    return;
  }
  const NestLevel& level = nest.levels[depth];
  std::int64_t lo = *evaluate(level.range.lo, values);
  std::int64_t hi = *evaluate(level.range.hi, values);
  for (const IndexExpr& bound : level.lower) lo = std::max(lo, *evaluate(bound, values));
  for (const IndexExpr& bound : level.upper) hi = std::min(hi, *evaluate(bound, values));
  for (std::int64_t at = lo; at < hi; ++at) {
    if ((at - *evaluate(level.offset, values)) % level.stride != 0) continue;
    values.emplace_back(level.var, at);
    run(nest, depth + 1, values, out);
    values.pop_back();
  }
}

std::int64_t value_in(const SymbolValues& values, const std::string& name) {
  for (const auto& [symbol, value] : values)
    if (symbol == name) return value;
  return -1;
}

/// Returns what is wrong with the pieces and nests of `region` at small sizes.
std::vector<std::string> faults(const Plane& plane, const Region& region) {
  const auto pieces = disjoint_pieces(region, plane.known);
  if (!pieces) return {"no pieces"};
  std::vector<RegionNest> nests;
  for (const RegionBox& box : *pieces)
    nests.push_back(loop_nest(region_of_box(plane.context, {"x", "y"}, box), box, {"y", "x"}, plane.known));
  std::vector<std::string> out;
  for (std::int64_t n = 0; n < 9; ++n) {
    for (std::int64_t m = 0; m < 4; ++m) {
      const SymbolValues sizes = sizes_of(n, m);
      std::vector<Point> visited;
      for (const RegionNest& nest : nests) {
        std::vector<SymbolValues> points;
        SymbolValues values = sizes;
        if (holds(nest.guards, sizes)) run(nest, 0, values, points);
        for (const SymbolValues& point : points) visited.push_back({value_in(point, "x"), value_in(point, "y")});
      }
      for (std::int64_t x = -1; x <= n; ++x) {
        for (std::int64_t y = -1; y <= m; ++y) {
          const Point point{x, y};
          const auto count = contains_point(region, sizes, point) ? 1 : 0;
          const auto in_pieces = std::count_if(pieces->begin(), pieces->end(),
                                               [&](const RegionBox& box) { return is_in(box, sizes, point); });
          const auto text =
              std::to_string(x) + "," + std::to_string(y) + " of " + std::to_string(n) + "x" + std::to_string(m);
          if (in_pieces != count) out.push_back(text + " is in " + std::to_string(in_pieces) + " pieces");
          if (std::count(visited.begin(), visited.end(), point) != count) out.push_back(text + " is not visited once");
        }
      }
    }
  }
  return out;
}

TEST(Pieces, OfTrianglesHoldEachPointOnce) {
  const Plane plane;
  EXPECT_THAT(faults(plane, plane.kept({"y-x-1", "x+y-3"})), IsEmpty());
  EXPECT_THAT(faults(plane, plane.kept({"y-x"})), IsEmpty());
  EXPECT_THAT(faults(plane, plane.kept({"2*x-3*y+1", "n-1-x-y"})), IsEmpty());
  EXPECT_THAT(faults(plane, plane.all.subtract(plane.kept({"y-x-1", "x+y-3"}))), IsEmpty());
}

TEST(Pieces, OfDiagonalsHoldEachPointOnce) {
  const Plane plane;
  EXPECT_THAT(faults(plane, plane.kept({}, {"x-y"})), IsEmpty());
  EXPECT_THAT(faults(plane, plane.all.subtract(plane.kept({}, {"x-y"}))), IsEmpty());
  EXPECT_THAT(faults(plane, plane.kept({}, {"x+y-n+1"})), IsEmpty());
  EXPECT_THAT(faults(plane, plane.all.subtract(plane.kept({}, {"x-2*y-1"}))), IsEmpty());
}

TEST(Pieces, OfLatticesHoldEachPointOnce) {
  const Plane plane;
  EXPECT_THAT(faults(plane, plane.image("2*i", "j")), IsEmpty());
  EXPECT_THAT(faults(plane, plane.image("2*i+1", "2*j")), IsEmpty());
  EXPECT_THAT(faults(plane, plane.image("n-1-2*i", "3*j+1")), IsEmpty());
  EXPECT_THAT(faults(plane, plane.image("i+j", "i-j")), IsEmpty());
  EXPECT_THAT(faults(plane, plane.all.subtract(plane.image("3*i", "2*j"))), IsEmpty());
  EXPECT_THAT(faults(plane, plane.all.subtract(plane.image("i+j", "i-j"))), IsEmpty());
}

// Blocks of 4 cells that end inside of [0, n) and reach into its second half. Some of them are told by cells e and f
// that they hold. For n up to 3 and for n = 7 there is no block, which no condition over n says without naming a block.
TEST(Pieces, OfBlocksThatSomeSizesLackHoldEachPointOnce) {
  const Plane plane;
  const std::vector<std::string> from = {"x", "y", "e", "f"};
  const auto where = [](Region region, const std::vector<std::string>& conditions) {
    for (const std::string& condition : conditions) region = region.where_nonnegative(e(condition));
    return region;
  };
  const std::vector<std::string> block = {"n-4-4*x", "y", "m-1-y"};
  const Region touched =
      where(where(Region::universe(plane.context, from), block),
            {"e-4*x", "2*e-n+1", "n+1-2*e", "n-4-4*floord(e,4)", "4*x+3-f", "2*f-n-2", "n-4-4*floord(f,4)"});
  const Region whole = where(where(Region::universe(plane.context, {"x", "y"}), block), {"8*x-n-2"});
  const RegionMap to_plane =
      RegionMap::to_box(plane.context, from, {"x", "y"}, {{e("x"), e("x+1")}, {e("y"), e("y+1")}});
  EXPECT_THAT(faults(plane, whole.unite(to_plane.apply(touched)).intersect_parameters(plane.known)), IsEmpty());
}

std::string nest_text(const Plane& plane, const Region& region) {
  const auto pieces = disjoint_pieces(region, plane.known);
  if (!pieces || pieces->size() != 1) return "no single piece";
  const RegionNest nest = loop_nest(region, pieces->front(), {"y", "x"}, plane.known);
  std::string out;
  const auto list = [](const std::vector<IndexExpr>& items) {
    std::string text;
    for (const IndexExpr& item : items) text += (text.empty() ? "" : ", ") + to_string(item);
    return text;
  };
  for (const NestLevel& level : nest.levels) {
    out += level.var + " [" + to_string(level.range.lo) + ", " + to_string(level.range.hi) + ")";
    if (!level.lower.empty()) out += " from " + list(level.lower);
    if (!level.upper.empty()) out += " to " + list(level.upper);
    if (level.stride > 1) out += " step " + std::to_string(level.stride) + " at " + to_string(level.offset);
    out += "; ";
  }
  return out + list(nest.conditions);
}

TEST(Nest, OfATriangleHasBoundsAndNoConditions) {
  const Plane plane;
  EXPECT_EQ(nest_text(plane, plane.kept({"y-x-1"})), "y [1, m); x [0, n) to y; ");
  EXPECT_EQ(nest_text(plane, plane.kept({"x+y-3"})), "y [0, m); x [0, n) from 3-y; ");
}

TEST(Nest, OfALatticeHasStrides) {
  const Plane plane;
  EXPECT_EQ(nest_text(plane, plane.image("2*i+1", "j")), "y [0, m); x [0, n) step 2 at 1; ");
  EXPECT_EQ(nest_text(plane, plane.image("i+j", "i-j")), "y [0, m); x [0, n) step 2 at -y; ");
}

TEST(Nest, OfADiagonalIsOneLoopWithASingleValueInside) {
  const Plane plane;
  EXPECT_EQ(nest_text(plane, plane.kept({}, {"x-y"})), "y [0, n); x [0, m) from y to y+1; ");
}

}  // namespace
}  // namespace pb
