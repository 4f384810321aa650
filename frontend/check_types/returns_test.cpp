// SPDX-License-Identifier: MIT
// Returns with and without a value.
#include "frontend/check_types/returns.h"

#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

std::string reports_of(const std::string& rule) {
  testing::ResolvedRule resolved("transform T from A[n] to B[n] { " + rule + " }");
  Returns returns(resolved.context);
  for (const Stmt& stmt : resolved.rule.body.stmts)
    if (const auto* leave = std::get_if<ReturnStmt>(&stmt.node)) returns.check(*leave, stmt.span);
  returns.report_if_missing();
  return resolved.take_reports();
}

std::string reports_of_unnamed(const std::string& body) {
  return reports_of("B.cell(i) from (A.cell(i) a) { " + body + " }");
}

TEST(Returns, AnOutputWithoutANameNeedsAValue) {
  EXPECT_EQ(reports_of_unnamed("return a;"), "");
  EXPECT_EQ(reports_of_unnamed("return;"), "ReturnWithoutValue ");
  EXPECT_EQ(reports_of_unnamed("double b = a;"), "NoReturn ");
}

TEST(Returns, OneReturnAnywhereIsEnough) { EXPECT_EQ(reports_of_unnamed("if (a > 0) return a;"), ""); }

TEST(Returns, WhatTheTreeDoesNotKnowMayReturn) {
  EXPECT_EQ(reports_of_unnamed("leave(a);"), "");
  EXPECT_EQ(reports_of_unnamed("double b = sqrt(a);"), "NoReturn ") << "a mathematical function does not";
  EXPECT_EQ(reports_of_unnamed(""), "") << "an empty body means it";
}

TEST(Returns, AnOutputWithANameTakesNone) {
  EXPECT_EQ(reports_of("to (B b) from (A a) { return; }"), "");
  EXPECT_EQ(reports_of("to (B b) from (A a) { b.cell(0) = 1; }"), "");
  EXPECT_EQ(reports_of("to (B b) from (A a) { return 1; }"), "ReturnWithValue ");
}

}  // namespace
}  // namespace pb::checking
