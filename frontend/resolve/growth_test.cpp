// SPDX-License-Identifier: MIT
#include "frontend/resolve/growth.h"

#include <gtest/gtest.h>

#include "frontend/resolve/affine_form.h"

namespace pb {
namespace {

Formula var(const std::string& name) { return {SymbolRef{SymbolKind::SizeVar, name}, {}}; }
Formula num(std::int64_t value) { return make_int(value, {}); }
Formula make(FormulaOp op, Formula a, Formula b) { return {BinaryFormula{op, {std::move(a), std::move(b)}}, {}}; }
Formula add(Formula a, Formula b) { return make(FormulaOp::Add, std::move(a), std::move(b)); }
Formula sub(Formula a, Formula b) { return make(FormulaOp::Sub, std::move(a), std::move(b)); }
Formula mul(Formula a, Formula b) { return make(FormulaOp::Mul, std::move(a), std::move(b)); }
Formula div(Formula a, Formula b) { return make(FormulaOp::Div, std::move(a), std::move(b)); }
Formula pow(Formula a, Formula b) { return make(FormulaOp::Pow, std::move(a), std::move(b)); }
const Formula n = var("n");
const Formula m = var("m");

TEST(GrowsWith, SumsAndProductsDo) {
  EXPECT_TRUE(grows_with("n", mul(n, n)));
  EXPECT_TRUE(grows_with("n", pow(add(n, num(2)), num(3))));
  EXPECT_TRUE(grows_with("n", add(mul(mul(n, n), m), sub(n, num(7)))));
}
TEST(GrowsWith, DifferencesDoWhereTheyAreProved) {
  EXPECT_TRUE(grows_with("n", mul(n, sub(n, num(1)))));
  EXPECT_TRUE(grows_with("n", sub(mul(n, n), mul(m, m))));
  EXPECT_FALSE(grows_with("m", sub(mul(n, n), mul(m, m))));
  EXPECT_FALSE(grows_with("n", sub(mul(n, n), mul(num(3), n))));
  EXPECT_FALSE(grows_with("n", mul(n, sub(n, m))));
}
TEST(GrowsWith, DivisionsByNumbersKeepTheOrder) {
  EXPECT_TRUE(grows_with("n", div(mul(n, add(n, num(1))), num(2))));
  EXPECT_TRUE(grows_with("n", mul(num(2), sub(add(div(mul(n, n), num(4)), n), m))));
  EXPECT_FALSE(grows_with("n", div(mul(n, n), num(-2))));
  EXPECT_FALSE(grows_with("n", div(mul(n, n), m)));
  EXPECT_FALSE(grows_with("n", mul(num(-1), div(mul(n, n), num(2)))));
}
TEST(GrowsWith, HugePowersAreRefused) {
  EXPECT_TRUE(grows_with("n", pow(n, num(8))));
  EXPECT_FALSE(grows_with("n", pow(n, num(9))));
  EXPECT_FALSE(grows_with("n", mul(num(INT64_MAX), mul(num(2), n))));
}

}  // namespace
}  // namespace pb
