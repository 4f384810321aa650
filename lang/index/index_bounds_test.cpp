// SPDX-License-Identifier: MIT
// Bounds of expressions hold each of their values.
#include "lang/index/index_bounds.h"

#include <gtest/gtest.h>

#include <random>

namespace pb {
namespace {

const SymbolRanges kRows = {{"y", {index_symbol("a"), index_sub(index_symbol("b"), index_const(1))}}};

std::string text_of(const std::optional<IndexInterval>& interval) {
  return interval ? to_string(interval->first) + " … " + to_string(interval->last) : "none";
}

TEST(IndexBounds, FollowTheSymbol) {
  const IndexExpr y = index_symbol("y");
  const IndexExpr n = index_symbol("n");
  EXPECT_EQ(text_of(bounds_of(n, kRows)), "n … n");
  EXPECT_EQ(text_of(bounds_of(index_add(y, index_const(3)), kRows)), "a+3 … b+2");
  EXPECT_EQ(text_of(bounds_of(index_sub(n, y), kRows)), "n-b+1 … n-a");
  EXPECT_EQ(text_of(bounds_of(index_mul(index_const(-2), y), kRows)), "2-2*b … -2*a");
  EXPECT_EQ(text_of(bounds_of(index_floordiv(y, index_const(2)), kRows)), "floord(a, 2) … floord(b-1, 2)");
}

TEST(IndexBounds, AreNoneForUnknownDivisors) {
  EXPECT_FALSE(bounds_of(index_floordiv(index_symbol("y"), index_symbol("n")), kRows));
  EXPECT_FALSE(bounds_of(index_floordiv(index_const(7), index_symbol("y")), kRows));
}

TEST(IndexBounds, OfQuotientsByAnUnknownNumberHaveConditions) {
  const IndexExpr quotient = index_floordiv(index_sub(index_symbol("y"), index_const(3)), index_symbol("n"));
  std::vector<IndexExpr> conditions;
  EXPECT_EQ(text_of(bounds_if(index_add(quotient, index_const(1)), kRows, conditions)),
            "floord(a-3, n)+1 … floord(b-4, n)+1");
  ASSERT_EQ(conditions.size(), 2U);
  EXPECT_EQ(to_string(conditions[0]), "n-1");
  EXPECT_EQ(to_string(conditions[1]), "a-3");
  EXPECT_FALSE(bounds_if(index_floordiv(index_const(7), index_symbol("y")), kRows, conditions));
}

IndexExpr random_expr(std::mt19937& rng, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  if (depth == 0) {
    const char* names[] = {"x", "y", "n"};
    return pick(3) == 0 ? index_const(pick(9) - 4) : index_symbol(names[pick(3)]);
  }
  const IndexExpr a = random_expr(rng, depth - 1);
  const IndexExpr b = random_expr(rng, depth - 1);
  switch (pick(6)) {
    case 0:
      return index_add(a, b);
    case 1:
      return index_sub(a, b);
    case 2:
      return index_mul(a, b);
    case 3:
      return index_floordiv(a, index_const(pick(2) == 0 ? 3 : -2));
    case 4:
      return index_min({a, b});
    default:
      return index_max({a, b});
  }
}

TEST(IndexBounds, HoldAllValues) {
  const SymbolRanges ranges = {{"x", {index_const(-2), index_const(3)}}, {"y", {index_const(0), index_symbol("n")}}};
  std::mt19937 rng(7);
  for (int i = 0; i < 300; ++i) {
    const IndexExpr expr = random_expr(rng, 3);
    const auto bounds = bounds_of(expr, ranges);
    ASSERT_TRUE(bounds) << to_string(expr);
    const std::int64_t n = 4;
    const std::int64_t first = *evaluate(bounds->first, {{"n", n}});
    const std::int64_t last = *evaluate(bounds->last, {{"n", n}});
    for (std::int64_t x = -2; x <= 3; ++x) {
      for (std::int64_t y = 0; y <= n; ++y) {
        const std::int64_t value = *evaluate(expr, {{"n", n}, {"x", x}, {"y", y}});
        EXPECT_TRUE(first <= value && value <= last) << to_string(expr) << " at " << x << ", " << y;
      }
    }
  }
}

}  // namespace
}  // namespace pb
