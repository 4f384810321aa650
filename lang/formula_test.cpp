// SPDX-License-Identifier: MIT
#include "lang/formula.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

Formula number(std::int64_t value) { return {IntLiteral{value}, {}}; }
Formula name(const char* text) { return {SymbolRef{SymbolKind::SizeVar, text}, {}}; }
Formula op(FormulaOp kind, Formula a, Formula b) { return {BinaryFormula{kind, {std::move(a), std::move(b)}}, {}}; }
Formula negated(Formula a) { return {NegatedFormula{{std::move(a)}}, {}}; }

TEST(Formula, PrintsMinimalParentheses) {
  const Formula sum = op(FormulaOp::Add, op(FormulaOp::Sub, name("w"), name("K")), number(1));
  EXPECT_EQ(to_string(sum), "w-K+1");
  EXPECT_EQ(to_string(op(FormulaOp::Mul, sum, number(2))), "(w-K+1)*2");
  EXPECT_EQ(to_string(op(FormulaOp::Sub, name("a"), op(FormulaOp::Sub, name("b"), name("c")))), "a-(b-c)");
}

TEST(Formula, KeepsTheGroupingOfTruncatingDivision) {
  EXPECT_EQ(to_string(op(FormulaOp::Mul, name("a"), op(FormulaOp::Div, name("b"), number(2)))), "a*(b/2)");
  EXPECT_EQ(to_string(op(FormulaOp::Div, op(FormulaOp::Mul, name("a"), name("b")), number(2))), "a*b/2");
}

TEST(Formula, PrintsNegation) {
  EXPECT_EQ(to_string(op(FormulaOp::Add, negated(name("a")), name("b"))), "-a+b");
  EXPECT_EQ(to_string(op(FormulaOp::Mul, negated(name("a")), name("b"))), "(-a)*b");
  EXPECT_EQ(to_string(op(FormulaOp::Sub, name("a"), number(-1))), "a-(-1)");
}

TEST(Formula, PowersBecomeProductsInC) {
  const Formula power = op(FormulaOp::Pow, op(FormulaOp::Add, name("n"), number(1)), number(2));
  EXPECT_EQ(to_string(power), "(n+1)^2");
  EXPECT_EQ(to_c(power), "(n+1)*(n+1)");
  EXPECT_EQ(to_c(op(FormulaOp::Div, number(8), op(FormulaOp::Pow, name("n"), number(2)))), "8/(n*n)");
  EXPECT_EQ(to_c(op(FormulaOp::Pow, name("n"), number(0))), "1");
}

TEST(Formula, CheckedCTestsDivisorsThatAreNoNumbers) {
  EXPECT_EQ(to_checked_c(op(FormulaOp::Div, op(FormulaOp::Add, name("n"), number(1)), name("k"))),
            "pbrt::quotient(n+1, k, \"(n+1)/k\")");
  EXPECT_EQ(to_checked_c(op(FormulaOp::Mul, number(3), op(FormulaOp::Div, name("n"), number(2)))), "3*(n/2)");
}

TEST(Formula, RealNumbersStayReal) { EXPECT_EQ(to_c(Formula{RealLiteral{2}, {}}), "2.0"); }

TEST(Formula, RealCRoundsNoQuotient) {
  EXPECT_EQ(to_real_c(op(FormulaOp::Div, negated(number(1)), number(2))), "(-1.0)/2.0");
  EXPECT_EQ(to_real_c(op(FormulaOp::Sub, op(FormulaOp::Div, name("n"), number(2)), Formula{RealLiteral{0.5}, {}})),
            "static_cast<double>(n)/2.0-0.5");
  EXPECT_EQ(to_real_c(op(FormulaOp::Div, op(FormulaOp::Pow, name("n"), number(0)), number(2))), "1.0/2.0");
}

TEST(Formula, SymbolsComeOnceInOrder) {
  const Formula f = op(FormulaOp::Add, op(FormulaOp::Mul, name("b"), name("a")), name("b"));
  EXPECT_EQ(symbols_of(f, SymbolKind::SizeVar), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(symbols_of(f, SymbolKind::RuleVar).empty());
}

}  // namespace
}  // namespace pb
