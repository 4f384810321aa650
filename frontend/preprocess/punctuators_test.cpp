// SPDX-License-Identifier: MIT
#include "frontend/preprocess/punctuators.h"

#include <gtest/gtest.h>

#include <string>

namespace pb {
namespace {

TEST(Punctuators, AreTheOperatorsOfTheTable) {
  const auto is_whole = [](const std::string& text) { return punctuator_at_front(text + "x") == text; };
#define PB_BINARY_OP(name, text, word, precedence, kind, result) EXPECT_TRUE(is_whole(text)) << text;
#define PB_UNARY_OP(name, text, place, kind) EXPECT_TRUE(is_whole(text)) << text;
#define PB_FORMULA_OP(name, text, precedence) EXPECT_TRUE(is_whole(text)) << text;
#define PB_RELATION_OP(name, operator_, opposite) EXPECT_TRUE(is_whole(#operator_)) << #operator_;
#include "lang/operators.def"
  for (const char* assignment : {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
    EXPECT_TRUE(is_whole(assignment)) << assignment;
}

TEST(Punctuators, AreTakenAsLongAsTheyGo) {
  EXPECT_EQ(punctuator_at_front(">>=="), ">>=");
  EXPECT_EQ(punctuator_at_front("->*p"), "->*");
  EXPECT_EQ(punctuator_at_front("...."), "...");
  EXPECT_EQ(punctuator_at_front("%}"), "%}");
  EXPECT_EQ(punctuator_at_front("&&="), "&&");
  EXPECT_EQ(punctuator_at_front("!!="), "!");
}

TEST(Punctuators, AreNoOtherCharacters) {
  for (const char* other : {"", "a", "1", "@", "$", "`", "\\", "\"", " +", "\xc3\xa4"})
    EXPECT_EQ(punctuator_at_front(other), "") << other;
}

}  // namespace
}  // namespace pb
