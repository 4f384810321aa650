// SPDX-License-Identifier: MIT
#include "lang/operators.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

TEST(Operators, AreFoundByTheirSpelling) {
#define PB_BINARY_OP(name, text, word, precedence, kind, result) \
  EXPECT_EQ(find_binary_op(text), BinaryOp::name);               \
  EXPECT_STREQ(spelling(BinaryOp::name), text);
#define PB_UNARY_OP(name, text, place, kind)                           \
  EXPECT_EQ(find_unary_op(text, OperatorPlace::place), UnaryOp::name); \
  EXPECT_STREQ(spelling(UnaryOp::name), text);
#define PB_FORMULA_OP(name, text, precedence)        \
  EXPECT_EQ(find_formula_op(text), FormulaOp::name); \
  EXPECT_STREQ(spelling(FormulaOp::name), text);
#define PB_RELATION_OP(name, operator_, opposite)            \
  EXPECT_EQ(find_relation_op(#operator_), RelationOp::name); \
  EXPECT_STREQ(spelling(RelationOp::name), #operator_);
#include "lang/operators.def"
}

TEST(Operators, HaveOtherSpellingsToo) {
  EXPECT_EQ(find_binary_op("and"), BinaryOp::LogicalAnd);
  EXPECT_EQ(find_binary_op("or"), BinaryOp::LogicalOr);
  EXPECT_EQ(find_relation_op("="), RelationOp::Equal);
  EXPECT_EQ(find_binary_op(""), std::nullopt);
  EXPECT_EQ(find_binary_op("="), std::nullopt);
}

TEST(Operators, AssignWhatKeepsItsType) {
  EXPECT_EQ(find_assignment_op("+="), BinaryOp::Add);
  EXPECT_EQ(find_assignment_op("<<="), BinaryOp::Shl);
  EXPECT_EQ(find_assignment_op("|="), BinaryOp::BitOr);
  for (const char* other : {"=", "==", "<=", ">=", "!=", "&&=", ",=", "and="})
    EXPECT_EQ(find_assignment_op(other), std::nullopt) << other;
}

TEST(Operators, RelationsHoldWhereTheirOppositesDoNot) {
  using enum RelationOp;
  for (const RelationOp op : {Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual}) {
    EXPECT_EQ(opposite(opposite(op)), op);
    for (const int difference : {-2, 0, 2}) EXPECT_NE(holds(op, difference), holds(opposite(op), difference));
  }
  EXPECT_TRUE(holds(Less, -1));
  EXPECT_TRUE(holds(LessEqual, 0));
  EXPECT_FALSE(holds(Greater, 0));
}

}  // namespace
}  // namespace pb
