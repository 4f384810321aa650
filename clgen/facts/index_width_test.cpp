// SPDX-License-Identifier: MIT
#include "clgen/facts/index_width.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

Formula number(std::int64_t value) { return {IntLiteral{value}, {}}; }
Formula var(const char* name) { return {SymbolRef{SymbolKind::RuleVar, name}, {}}; }
Formula size(const char* name) { return {SymbolRef{SymbolKind::SizeVar, name}, {}}; }
Formula op(FormulaOp op, Formula a, Formula b) { return {BinaryFormula{op, {std::move(a), std::move(b)}}, {}}; }

TEST(IndexWidth, WhatLiesInTheMatrixByOneOperationFitsAnInt) {
  EXPECT_EQ(to_index_cpp(var("i"), kCellInside), "i");
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Sub, var("i"), number(1)), kCellInside), "i-1");
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Mul, number(100000), var("i")), kCellInside), "100000*i");
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Add, var("x"), size("K")), kEndInside), "x+K");
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Add, op(FormulaOp::Mul, number(2), var("i")), number(1)), kCellInside), "2*i+1");
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Sub, op(FormulaOp::Sub, size("n"), number(1)), var("i")), kCellInside), "n-1-i");
}

TEST(IndexWidth, WhatMayLieAnywhereIsComputedIn64Bits) {
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Mul, number(100000), var("i"))), "100000*std::int64_t{i}");
  const Formula distance =
      op(FormulaOp::Sub, op(FormulaOp::Mul, number(100000), var("i")), op(FormulaOp::Mul, number(99999), var("j")));
  EXPECT_EQ(to_index_cpp(distance, kCellInside), "100000*std::int64_t{i}-99999*std::int64_t{j}");
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Mul, op(FormulaOp::Mul, number(50000), number(50000)), var("i"))),
            "std::int64_t{50000}*50000*std::int64_t{i}");
  // The first sum of three terms may lie outside of the matrix.
  EXPECT_FALSE(fits_int(op(FormulaOp::Add, op(FormulaOp::Sub, var("i"), var("j")), var("k")), kCellInside));
}

TEST(IndexWidth, WhatMayLieBeyond64BitsIsTested) {
  EXPECT_EQ(to_index_cpp(op(FormulaOp::Mul, op(FormulaOp::Mul, number(100000), number(100000)), var("i"))),
            "pbrt::exact_value(\"100000*100000*i\", [&] { return pbrt::Exact(100000)*100000*pbrt::Exact(i); })");
  const Formula cube = op(FormulaOp::Pow, size("n"), number(3));
  EXPECT_EQ(to_extent_cpp(cube),
            "pbrt::exact_value(\"n^3\", [&] { return pbrt::Exact(n)*pbrt::Exact(n)*pbrt::Exact(n); })");
  EXPECT_EQ(to_extent_cpp(op(FormulaOp::Pow, size("n"), number(2))), "n*n");
}

TEST(IndexWidth, BoundsOfLoopsFitWhereRuleVariablesDo) {
  Transform transform;
  SizeVar n;
  n.name = "n";
  transform.size_vars.push_back(n);
  EXPECT_TRUE(fits_int(index_add(index_symbol("y"), index_const(1)), transform));
  EXPECT_TRUE(fits_int(index_sub(index_symbol("n"), index_const(1)), transform));
  EXPECT_FALSE(fits_int(index_add(index_symbol("n"), index_const(1)), transform));
  const IndexExpr far = index_mul(index_const(100000), index_symbol("y"));
  EXPECT_EQ(to_index_cpp(far, transform), "100000*std::int64_t{y}");
  EXPECT_EQ(to_index_opencl(far, transform), "100000*(long)y");
  EXPECT_TRUE(has_int_values({index_const(0), index_symbol("n")}, transform));
  EXPECT_FALSE(
      has_int_values({index_const(3000000000), index_add(index_symbol("n"), index_const(3000000000))}, transform));
}

TEST(IndexWidth, TemporariesOfProductsAreNeverNegative) {
  EXPECT_TRUE(is_never_negative(op(FormulaOp::Mul, size("n"), op(FormulaOp::Add, size("m"), number(1)))));
  EXPECT_FALSE(is_never_negative(op(FormulaOp::Sub, size("n"), number(1))));
}

}  // namespace
}  // namespace pb
