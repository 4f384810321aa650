// SPDX-License-Identifier: MIT
#include "lang/index/index_expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>

#include "lang/index/readable_text.h"

namespace pb {
namespace {

const IndexExpr kN = index_symbol("n");
const IndexExpr kM = index_symbol("m");

TEST(IndexExpr, SumsReadAsWritten) {
  const IndexExpr width = index_add(index_sub(index_symbol("w"), index_symbol("KWIDTH")), index_const(1));
  EXPECT_EQ(to_string(width), "w-KWIDTH+1");
  EXPECT_EQ(to_string(index_sub(width, index_const(1))), "w-KWIDTH");
  EXPECT_EQ(to_string(index_sub(index_const(0), kN)), "-n");
  EXPECT_EQ(to_string(index_sub(index_const(1), kN)), "1-n");
  EXPECT_EQ(to_string(index_sub(kM, index_mul(index_const(2), kN))), "m-2*n");
  EXPECT_EQ(to_string(index_mul(index_add(kN, index_const(1)), kM)), "(n+1)*m");
}

TEST(IndexExpr, NeutralElementsDisappear) {
  EXPECT_TRUE(index_sub(kN, kN).is_const(0));
  EXPECT_EQ(index_add(kN, index_const(0)), kN);
  EXPECT_EQ(index_mul(index_const(1), kN), kN);
  EXPECT_EQ(index_floordiv(index_mul(index_const(4), kN), index_const(4)), kN);
  EXPECT_EQ(index_max({kN, kN}), kN);
  EXPECT_EQ(index_max({kN, index_add(kN, index_const(2))}), index_add(kN, index_const(2)));
  EXPECT_EQ(index_min({kN, index_add(kN, index_const(2))}), kN);
}

TEST(IndexExpr, ConstantFactorsStandInFrontOfProducts) {
  EXPECT_EQ(to_string(index_mul(index_mul(index_const(5), kN), kM)), "5*(n*m)");
  EXPECT_EQ(to_string(index_mul(kN, index_mul(index_const(-2), kM))), "-2*(n*m)");
  EXPECT_TRUE(index_sub(index_mul(index_mul(index_const(5), kN), kM), index_mul(index_const(5), index_mul(kN, kM)))
                  .is_const(0));
}

TEST(IndexExpr, DivisionRoundsToMinusInfinity) {
  EXPECT_TRUE(index_floordiv(index_const(-3), index_const(2)).is_const(-2));
  EXPECT_TRUE(index_floordiv(index_const(3), index_const(-2)).is_const(-2));
  EXPECT_FALSE(evaluate(index_floordiv(kN, index_const(0)), {{"n", 3}}).has_value());
}

TEST(IndexExpr, OverflowIsNoValue) {
  const std::int64_t big = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(evaluate(index_add(kN, index_const(1)), {{"n", big}}).has_value());
  const IndexExpr kept = index_add(index_const(big), index_const(1));
  EXPECT_EQ(kept.op, IndexExpr::Op::Add);
  EXPECT_FALSE(evaluate(kept, {}).has_value());
}

TEST(IndexExpr, OtherTextsAreRefused) {
  for (const char* text : {"", "n+", "min()", "floord(n)", "n m", "foo(n)", "(n", "99999999999999999999"})
    EXPECT_FALSE(parse_index_expr(text).has_value()) << text;
}

/// A random expression, made by the folding builders, and its value, which is computed without them.
struct Sample {
  IndexExpr expr;
  std::int64_t value;
};

Sample random_sample(std::mt19937_64& rng, int depth, const SymbolValues& values) {
  const auto pick = [&](int count) { return static_cast<int>(rng() % static_cast<std::uint64_t>(count)); };
  if (depth == 0 || pick(4) == 0) {
    if (pick(2) == 0) {
      const std::int64_t value = pick(9) - 4;
      return {index_const(value), value};
    }
    const auto& [name, value] = values[static_cast<std::size_t>(pick(static_cast<int>(values.size())))];
    return {index_symbol(name), value};
  }
  const Sample a = random_sample(rng, depth - 1, values);
  const Sample b = random_sample(rng, depth - 1, values);
  switch (pick(6)) {
    case 0:
      return {index_add(a.expr, b.expr), a.value + b.value};
    case 1:
      return {index_sub(a.expr, b.expr), a.value - b.value};
    case 2:
      return {index_mul(a.expr, b.expr), a.value * b.value};
    case 3:
      return {index_min({a.expr, b.expr}), std::min(a.value, b.value)};
    case 4:
      return {index_max({a.expr, b.expr}), std::max(a.value, b.value)};
    default: {
      const std::int64_t by = pick(5) + 1;
      const std::int64_t rest = ((a.value % by) + by) % by;
      return {index_floordiv(a.expr, index_const(by)), (a.value - rest) / by};
    }
  }
}

TEST(IndexExpr, BuildersAndTextKeepTheValue) {
  const char* text = std::getenv("PB_SEED");
  const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : 11;
  std::mt19937_64 rng(seed);
  for (int i = 0; i < 500; ++i) {
    const SymbolValues values{{"n", static_cast<std::int64_t>(rng() % 9)},
                              {"m", static_cast<std::int64_t>(rng() % 9) - 4}};
    const Sample sample = random_sample(rng, 4, values);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + to_string(sample.expr));
    EXPECT_EQ(evaluate(sample.expr, values), sample.value);
    const auto again = parse_index_expr(to_string(sample.expr));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(evaluate(*again, values), sample.value);
    EXPECT_EQ(evaluate(substitute(sample.expr, {{"n", index_symbol("k")}}), {{"k", values[0].second}, values[1]}),
              sample.value);
  }
}

TEST(IndexExpr, HasACoefficientWhereItIsAffine) {
  const auto coefficient = [](const std::string& text) { return affine_coefficient(*parse_index_expr(text), "i"); };
  EXPECT_EQ(coefficient("3*(i+n)-2*i"), 1);
  EXPECT_EQ(coefficient("i*4-j"), 4);
  EXPECT_EQ(coefficient("n*j+floord(n, 2)"), 0) << "nothing depends on it";
  EXPECT_EQ(coefficient("floord(i, 2)"), std::nullopt);
  EXPECT_EQ(coefficient("n*i"), std::nullopt) << "the factor is not constant";
  EXPECT_EQ(coefficient("max(i, 0)+1"), std::nullopt);
}

TEST(IndexExpr, ReadsAsInHeadersForPeople) {
  const auto readable = [](const std::string& text) { return readable_text(*parse_index_expr(text)); };
  EXPECT_EQ(readable("floord(n, 2)"), "n/2");
  EXPECT_EQ(readable("2*floord(n+1, 2)-1"), "2*((n+1)/2)-1");
  EXPECT_EQ(readable("floord(floord(n, 2), 3)+max(0, floord(m, 4))"), "(n/2)/3+max(0, m/4)");
  EXPECT_EQ(readable("n-m"), "n-m");
}

}  // namespace
}  // namespace pb
