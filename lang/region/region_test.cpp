// SPDX-License-Identifier: MIT
// Algebra of regions against the same sets as lists of points. PB_SEED chooses another run.
#include "lang/region/region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "lang/region/affine.h"
#include "lang/region/points.h"
#include "lang/region/region_box.h"
#include "lang/region/terms.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using Points = std::set<std::vector<std::int64_t>>;

IndexExpr expr(const std::string& text) {
  const auto out = parse_index_expr(text);
  EXPECT_TRUE(out.has_value()) << text;
  return out.value_or(index_const(0));
}

Region interval(const RegionContext& context, const std::string& lo, const std::string& hi) {
  return region_of_box(context, {"x"}, {{{expr(lo), expr(hi)}}, {}});
}

Region sizes(const RegionContext& context) {
  return Region::universe(context, {}).where_nonnegative(index_symbol("n"));
}

std::string text_of(const std::optional<std::vector<RegionBox>>& boxes) {
  if (!boxes) return "no boxes";
  std::string out;
  for (const RegionBox& box : *boxes) {
    out += out.empty() ? "" : " | ";
    for (const Interval& dim : box.dims) out += "[" + to_string(dim.lo) + ", " + to_string(dim.hi) + ")";
    for (const IndexExpr& guard : box.guards) out += " if " + to_string(guard) + " >= 0";
  }
  return out;
}

constexpr std::int64_t kLow = -1;
constexpr std::int64_t kHigh = 9;

/// Points of a plane region within [-1, 9) at size n.
Points points_of(const Region& region, std::int64_t n) {
  Points out;
  for (std::int64_t x = kLow; x < kHigh; ++x)
    for (std::int64_t y = kLow; y < kHigh; ++y)
      if (contains_point(region, {{"n", n}}, {x, y})) out.insert({x, y});
  return out;
}

Points points_of(const RegionBox& box, std::int64_t n) {
  Points out;
  const SymbolValues values{{"n", n}};
  for (const IndexExpr& guard : box.guards)
    if (evaluate(guard, values).value_or(-1) < 0) return out;
  for (std::int64_t x = *evaluate(box.dims[0].lo, values); x < *evaluate(box.dims[0].hi, values); ++x)
    for (std::int64_t y = *evaluate(box.dims[1].lo, values); y < *evaluate(box.dims[1].hi, values); ++y)
      out.insert({x, y});
  return out;
}

class RegionAlgebra : public ::testing::Test {
 protected:
  RegionAlgebra() {
    if (const char* text = std::getenv("PB_SEED")) seed_ = std::strtoull(text, nullptr, 10);
    rng_.seed(seed_);
    RecordProperty("seed", std::to_string(seed_));
  }
  int pick(int count) { return static_cast<int>(rng_() % static_cast<std::uint64_t>(count)); }

  std::string begin() {
    static constexpr const char* kForms[] = {"0", "0", "1", "2", "floord(n, 2)", "n-3", "n-1"};
    return kForms[pick(7)];
  }
  std::string end() {
    static constexpr const char* kForms[] = {"n", "n", "n-1", "n-2", "floord(n, 2)", "2", "1"};
    return kForms[pick(7)];
  }
  Region random_box() {
    RegionBox box;
    for (int d = 0; d < 2; ++d) box.dims.push_back({expr(begin()), expr(end())});
    return region_of_box(context_, {"x", "y"}, box).intersect(all());
  }
  Region all() { return region_of_box(context_, {"x", "y"}, {{{expr("0"), expr("n")}, {expr("0"), expr("n")}}, {}}); }
  Region random_region() {
    Region out = random_box();
    for (int i = pick(3); i > 0; --i) out = pick(2) == 0 ? out.unite(random_box()) : out.subtract(random_box());
    return out;
  }

  RegionContext context_;
  std::uint64_t seed_ = 42;
  std::mt19937_64 rng_;
};

TEST_F(RegionAlgebra, AgreesWithPointSets) {
  for (int i = 0; i < 12; ++i) {
    const Region a = random_region();
    const Region b = random_region();
    SCOPED_TRACE("seed " + std::to_string(seed_) + ": " + a.to_string() + " and " + b.to_string());
    EXPECT_TRUE(a.intersect(b).is_equal(b.intersect(a)));
    EXPECT_TRUE(a.intersect(b).is_subset(a));
    EXPECT_TRUE(a.subtract(b).unite(a.intersect(b)).is_equal(a));
    EXPECT_FALSE(intersects(a.subtract(b), b));
    EXPECT_TRUE(a.coalesce().is_equal(a));
    for (const std::int64_t n : {0, 1, 3, 6}) {
      const Points in_a = points_of(a, n);
      const Points in_b = points_of(b, n);
      Points both;
      for (const auto& point : in_a)
        if (in_b.contains(point)) both.insert(point);
      EXPECT_EQ(points_of(a.intersect(b), n), both) << n;
      Points either = in_a;
      either.insert(in_b.begin(), in_b.end());
      EXPECT_EQ(points_of(a.unite(b), n), either) << n;
    }
  }
}

TEST_F(RegionAlgebra, BoxesAreDisjointAndExact) {
  int num_boxes = 0;
  int num_without = 0;
  for (int i = 0; i < 25; ++i) {
    const Region region = random_region();
    const auto boxes = disjoint_boxes(region, sizes(context_));
    SCOPED_TRACE("seed " + std::to_string(seed_) + ": " + region.to_string() + " = " + text_of(boxes));
    if (!boxes) {
      ++num_without;
      continue;
    }
    for (std::int64_t n = 0; n < 9; ++n) {
      Points seen;
      for (const RegionBox& box : *boxes)
        for (const auto& point : points_of(box, n)) EXPECT_TRUE(seen.insert(point).second) << "overlap at " << n;
      EXPECT_EQ(seen, points_of(region, n)) << n;
    }
    num_boxes += static_cast<int>(boxes->size());
  }
  EXPECT_GT(num_boxes, 15);
  EXPECT_LE(num_without, 2);  // pieces that differ by conditions on n alone may have no common bounds
}

TEST(Region, BordersReadAsWritten) {
  const RegionContext context;
  const Region all = interval(context, "0", "n");
  const Region known = sizes(context);
  EXPECT_EQ(text_of(disjoint_boxes(all, known)), "[0, n)");
  EXPECT_EQ(text_of(disjoint_boxes(interval(context, "0", "1").intersect(all), known)), "[0, min(1, n))");
  EXPECT_EQ(text_of(disjoint_boxes(all.subtract(interval(context, "1", "n-1")), known)),
            "[0, min(1, n)) | [max(1, n-1), n)");
  EXPECT_EQ(text_of(disjoint_boxes(interval(context, "0", "floord(n, 2)"), known)), "[0, floord(n, 2))");
  EXPECT_EQ(text_of(disjoint_boxes(interval(context, "floord(n, 2)", "n"), known)), "[floord(n, 2), n)");
}

TEST(Region, ThatIsNoUnionOfBoxesHasNone) {
  const RegionContext context;
  const Region plane = region_of_box(context, {"x", "y"}, {{{expr("0"), expr("n")}, {expr("0"), expr("n")}}, {}});
  EXPECT_FALSE(disjoint_boxes(plane.where_nonnegative(expr("y-x")), sizes(context)).has_value());
  EXPECT_FALSE(disjoint_boxes(plane.where_zero(expr("y-x")), sizes(context)).has_value());
  EXPECT_FALSE(disjoint_boxes(plane.where_zero(expr("x-2*floord(x, 2)")), sizes(context)).has_value());
}

TEST(Region, TermsThatAreNotAffineAreParameters) {
  const RegionContext context;
  const Region region = interval(context, "0", "n*m");
  EXPECT_THAT(region.parameters(), ElementsAre("n*m"));
  EXPECT_TRUE(contains_point(region, {{"n", 2}, {"m", 3}}, {5}));
  EXPECT_FALSE(contains_point(region, {{"n", 2}, {"m", 3}}, {6}));
  EXPECT_TRUE(region.intersect(interval(context, "n*m", "n*m+4")).is_empty());
}

TEST(Region, TermsMayBeginWithANumber) {
  const RegionContext context;
  const std::string large = "4611686018427387904*n";  // too large a factor to be taken out of the product of two
  const IndexExpr term = index_mul(expr(large), index_mul(index_const(4), index_symbol("m")));
  const Region region = Region::universe(context, {"x"}).where_nonnegative(index_sub(term, index_symbol("x")));
  EXPECT_THAT(region.parameters(), ElementsAre("(" + to_string(term) + ")"));
}

TEST(Region, IsEmptyForLargeSizesOnly) {
  const RegionContext context;
  const Region small = interval(context, "n", "3");
  EXPECT_FALSE(small.is_empty());
  EXPECT_TRUE(is_empty_for_large(small, {"n"}));
  EXPECT_FALSE(is_empty_for_large(interval(context, "0", "n"), {"n"}));
}

TEST(Region, ProductsOfLargeSizesAreLarge) {
  const RegionContext context;
  const auto is_never = [&](const std::string& lo, const std::string& hi) {
    return is_empty_for_large(interval(context, lo, hi), {"n", "m"});
  };
  EXPECT_TRUE(is_never("n*n", "1000000"));
  EXPECT_FALSE(is_never("n*n", "1000001"));
  EXPECT_TRUE(is_never("n*m", "n+m"));
  EXPECT_TRUE(is_never("n*n*n", "n*n"));
  EXPECT_FALSE(is_never("n*m", "n*n"));
  EXPECT_FALSE(is_never("n*m", "n*m+1"));
  EXPECT_TRUE(is_never("(n+1)*m", "n*m+m"));
  EXPECT_TRUE(is_never("floord(n, m)*m", "n-m"));
  EXPECT_FALSE(is_never("floord(n, m)*m", "n"));
  EXPECT_TRUE(is_never("n", "floord(n, m)*m"));
  const Region ordered = interval(context, "n*n", "n*m").where_nonnegative(expr("n-m"));
  EXPECT_TRUE(is_empty_for_large(ordered, {"n", "m"}));
}

TEST(Region, TermFactsTakeNoPointAway) {
  const RegionContext context;
  const Region all =
      interval(context, "n*m", "n*m+n*n+floord(m, n)").where_nonnegative(expr("4-n")).where_nonnegative(expr("n+4"));
  const Region told = with_term_facts(all);
  for (std::int64_t n = -4; n <= 4; ++n) {
    for (std::int64_t m = -9; m <= 9; ++m) {
      for (std::int64_t x = -40; x <= 40 && n != 0; x += 4) {
        const SymbolValues at{{"n", n}, {"m", m}};
        EXPECT_EQ(contains_point(told, at, {x}), contains_point(all, at, {x})) << n << " " << m << " " << x;
      }
    }
  }
}

TEST(Region, OutlivesItsContextAndProgram) {
  Region kept;
  {
    const RegionContext context;
    kept = interval(context, "0", "n");
  }
  const Region copy = kept;
  EXPECT_TRUE(copy.is_equal(kept));
  EXPECT_FALSE(Region().is_known());
  EXPECT_FALSE(Region().is_empty());
}

TEST(Region, AnExceededLimitMakesResultsUnknown) {
  const RegionContext context;
  const RegionLimit limit(context, 1);
  Region region = interval(context, "0", "n");
  for (int i = 0; i < 50 && region.is_known(); ++i)
    region = region.subtract(interval(context, std::to_string(2 * i), std::to_string(2 * i + 1))).coalesce();
  EXPECT_FALSE(region.is_known() && !context.limit_exceeded());
  EXPECT_TRUE(context.limit_exceeded());
  context.clear_limit_exceeded();
  EXPECT_FALSE(context.limit_exceeded());
}

TEST(RegionMap, GoesFromInstancesToCellsAndBack) {
  const RegionContext context;
  const RegionMap window = RegionMap::to_box(context, {"i"}, {"x'"}, {{expr("i-1"), expr("i+2")}});
  const Region cells = window.apply(interval(context, "0", "4"));
  EXPECT_TRUE(cells.is_equal(region_of_box(context, {"x'"}, {{{expr("-1"), expr("5")}}, {}})));
  EXPECT_TRUE(window.preimage(interval(context, "0", "1")).is_equal(interval(context, "-1", "2")));
  EXPECT_FALSE(window.is_single_valued());
  EXPECT_FALSE(window.is_injective());
  EXPECT_TRUE(window.then(window.reverse()).deltas().is_equal(interval(context, "-2", "3")));
}

Formula symbol(SymbolKind kind, const std::string& name) { return {SymbolRef{kind, name}, {}}; }
Formula divided(Formula a, std::int64_t by) {
  return {BinaryFormula{FormulaOp::Div, {std::move(a), {IntLiteral{by}, {}}}}, {}};
}

TEST(Affine, ValuesDivideLikeC) {
  const Formula half = divided(symbol(SymbolKind::SizeVar, "n"), 2);
  const auto value = to_index_expr(half, {});
  ASSERT_TRUE(value.has_value());
  for (std::int64_t n = -5; n <= 5; ++n) EXPECT_EQ(evaluate(*value, {{"n", n}}), n / 2) << n;
  EXPECT_EQ(to_string(to_index_expr(half, {{"n"}, {}}).value_or(index_const(0))), "floord(n, 2)");
}

TEST(Affine, ConditionsDivideExactly) {
  const auto exact = to_rational(divided(symbol(SymbolKind::RuleVar, "i"), 2), {});
  ASSERT_TRUE(exact.has_value());
  EXPECT_EQ(to_string(exact->numerator), "i");
  EXPECT_EQ(exact->denominator, 2);
}

TEST(Affine, ProductsOfRuleVariablesAreFound) {
  const Formula i = symbol(SymbolKind::RuleVar, "i");
  const Formula square{BinaryFormula{FormulaOp::Mul, {i, i}}, {}};
  const Formula sum{BinaryFormula{FormulaOp::Add, {symbol(SymbolKind::SizeVar, "n"), square}}, {}};
  EXPECT_FALSE(to_rational(sum, {}).has_value());
  ASSERT_NE(find_non_affine(sum), nullptr);
  EXPECT_EQ(*find_non_affine(sum), square);
  EXPECT_EQ(find_non_affine(i), nullptr);
}

}  // namespace
}  // namespace pb
