// SPDX-License-Identifier: MIT
#include "frontend/splice_calls/canonical_size.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "choicegraph/testing/formula_value.h"

namespace pb::splicing {
namespace {

using testing::Values, testing::value_of;

Formula var(const std::string& name) { return {SymbolRef{SymbolKind::SizeVar, name}, {}}; }
Formula num(std::int64_t value) { return {IntLiteral{value}, {}}; }
Formula of(FormulaOp op, Formula a, Formula b) { return {BinaryFormula{op, {std::move(a), std::move(b)}}, {}}; }
Formula add(Formula a, Formula b) { return of(FormulaOp::Add, std::move(a), std::move(b)); }
Formula sub(Formula a, Formula b) { return of(FormulaOp::Sub, std::move(a), std::move(b)); }
Formula mul(Formula a, Formula b) { return of(FormulaOp::Mul, std::move(a), std::move(b)); }
Formula div(Formula a, Formula b) { return of(FormulaOp::Div, std::move(a), std::move(b)); }
Formula negated(Formula a) { return {NegatedFormula{{std::move(a)}}, {}}; }

std::string text(const Formula& formula) { return to_string(canonical(formula)); }

TEST(CanonicalSize, CollectsWhatIsEqual) {
  EXPECT_EQ(text(add(sub(add(var("w"), num(1)), var("k")), num(-2))), "w-k-1");
  EXPECT_EQ(text(sub(add(var("w"), var("h")), var("w"))), "h");
  EXPECT_EQ(text(mul(num(2), sub(var("n"), num(3)))), "2*n-6");
  EXPECT_EQ(text(negated(sub(var("n"), var("m")))), "m-n");
  EXPECT_EQ(text(sub(var("n"), var("n"))), "0");
  EXPECT_EQ(text(negated(var("n"))), "-n");
}

TEST(CanonicalSize, QuotientsStayUnlessTheyHaveNoRemainder) {
  EXPECT_EQ(text(mul(num(2), div(var("n"), num(2)))), "2*(n/2)");
  EXPECT_EQ(text(div(add(mul(var("n"), num(4)), num(6)), num(2))), "2*n+3");
  EXPECT_EQ(text(sub(add(div(add(var("n"), num(63)), num(64)), num(1)), num(1))), "(n+63)/64");
  EXPECT_EQ(text(div(var("n"), num(0))), "n/0");
}

TEST(CanonicalSize, ProductsOfNamesHaveOneOrder) {
  EXPECT_EQ(text(sub(mul(var("n"), var("m")), mul(var("m"), var("n")))), "0");
}

TEST(CanonicalSize, NumbersThatLeave64BitsStay) {
  const Formula most = num(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(text(add(most, num(1))), "9223372036854775807+1");
  EXPECT_EQ(text(mul(most, sub(var("n"), num(2)))), "9223372036854775807*(n-2)");
}

Formula random_formula(std::mt19937& random, int depth) {
  const auto one_of = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  if (depth == 0) return one_of(2) == 0 ? num(one_of(7) - 3) : var(std::string(1, static_cast<char>('a' + one_of(3))));
  Formula a = random_formula(random, depth - 1);
  if (one_of(6) == 0) return negated(std::move(a));
  constexpr FormulaOp kOps[] = {FormulaOp::Add, FormulaOp::Sub, FormulaOp::Mul, FormulaOp::Div};
  return of(kOps[one_of(4)], std::move(a), random_formula(random, depth - 1));
}

TEST(CanonicalSize, HasTheFormulasValue) {
  std::mt19937 random(20261129);
  for (int i = 0; i < 3000; ++i) {
    const Formula formula = random_formula(random, 3);
    const Formula canonical_form = canonical(formula);
    EXPECT_EQ(to_string(canonical(canonical_form)), to_string(canonical_form));
    for (std::int64_t a = -2; a < 5; a += 3) {
      const Values values = {{"a", a}, {"b", 3 - a}, {"c", 7}};
      const auto expected = value_of(formula, values);
      if (!expected) continue;
      EXPECT_EQ(value_of(canonical_form, values), expected)
          << to_string(formula) << " is " << to_string(canonical_form);
    }
  }
}

}  // namespace
}  // namespace pb::splicing
