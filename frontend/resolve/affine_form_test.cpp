// SPDX-License-Identifier: MIT
#include "frontend/resolve/affine_form.h"

#include <gtest/gtest.h>

#include "lang/suggest.h"

namespace pb {
namespace {

Formula var(const std::string& name) { return {SymbolRef{SymbolKind::SizeVar, name}, {}}; }
Formula num(std::int64_t value) { return make_int(value, {}); }
Formula add(Formula a, Formula b) { return make_binary(FormulaOp::Add, std::move(a), std::move(b)); }
Formula sub(Formula a, Formula b) { return make_binary(FormulaOp::Sub, std::move(a), std::move(b)); }
Formula mul(Formula a, Formula b) { return make_binary(FormulaOp::Mul, std::move(a), std::move(b)); }
Formula div(Formula a, Formula b) { return make_binary(FormulaOp::Div, std::move(a), std::move(b)); }

std::string solved(const std::string& name, const Formula& formula) {
  const auto solution = solve_for(name, formula, var("s"));
  return solution ? to_string(solution->value) + " rank " + std::to_string(static_cast<int>(solution->rank)) : "none";
}

TEST(SolveFor, LoneVariableIsTheSize) { EXPECT_EQ(solved("n", var("n")), "s rank 0"); }
TEST(SolveFor, OffsetIsTakenAway) { EXPECT_EQ(solved("n", add(var("n"), num(2))), "s-2 rank 1"); }
TEST(SolveFor, OtherVariablesCountAsKnown) {
  EXPECT_EQ(solved("w", add(sub(var("w"), var("k")), num(1))), "s-1+k rank 1");
  EXPECT_EQ(solved("k", sub(var("w"), var("k"))), "w-s rank 1");
}
TEST(SolveFor, MultipleDividesExactly) { EXPECT_EQ(solved("n", sub(mul(num(2), var("n")), num(1))), "(s+1)/2 rank 2"); }
TEST(SolveFor, DividedVariableIsLossy) { EXPECT_EQ(solved("n", div(var("n"), num(2))), "s*2 rank 3"); }
TEST(SolveFor, RepeatedVariableIsCollected) { EXPECT_EQ(solved("n", add(var("n"), var("n"))), "s/2 rank 2"); }
TEST(SolveFor, ProductWithAnotherVariableIsTheLastResort) {
  EXPECT_EQ(solved("m", mul(var("n"), var("m"))), "s/n rank 4");
  EXPECT_EQ(solved("k", add(mul(var("m"), var("k")), sub(var("k"), num(3)))), "(s+3)/(m+1) rank 4");
  EXPECT_EQ(solved("k", sub(var("n"), mul(var("k"), add(var("k"), var("m"))))), "none");
}
TEST(SolveFor, PowersAreSearched) {
  EXPECT_EQ(solved("n", mul(var("n"), var("n"))), "n*n rank 5");
  EXPECT_EQ(solved("n", make_binary(FormulaOp::Pow, var("n"), num(2))), "n^2 rank 5");
  EXPECT_EQ(solved("n", mul(var("n"), sub(var("n"), num(5)))), "none");
}

TEST(AffineForm, DivisionIsExact) {
  const auto form = affine_form(add(div(var("i"), num(2)), div(var("i"), num(3))));
  ASSERT_TRUE(form);
  EXPECT_EQ(form->terms.at("i"), (Rational{5, 6}));
}
TEST(AffineForm, ProductOfVariablesIsNotAffine) { EXPECT_FALSE(affine_form(mul(var("i"), var("n")))); }
TEST(AffineForm, HugeNumbersAreRefusedNotWrapped) {
  Formula big = num(INT64_MAX / 2);
  EXPECT_FALSE(affine_form({BinaryFormula{FormulaOp::Mul, {big, big}}, {}}));
}

TEST(MakeBinary, ConstantsAreJoined) {
  EXPECT_EQ(to_string(add(sub(var("x"), num(1)), num(1))), "x");
  EXPECT_EQ(to_string(add(add(var("x"), num(1)), num(1))), "x+2");
  EXPECT_EQ(to_string(sub(num(2), num(5))), "-3");
  EXPECT_EQ(to_string(add(var("x"), num(-3))), "x-3");
}

TEST(Suggest, NearestNameWins) {
  EXPECT_EQ(suggest("Convolve2d", {"ConvolveRows", "Convolve2D"}), "did you mean `Convolve2D`?");
  EXPECT_EQ(suggest("AA", {"A", "B"}), "did you mean `A`?");
}
TEST(Suggest, FarNamesAreNotSuggested) {
  EXPECT_EQ(suggest("Kernel", {"Picture", "x"}), "");
  EXPECT_EQ(suggest("j", {"n"}), "");
}

}  // namespace
}  // namespace pb
