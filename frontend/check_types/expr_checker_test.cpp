// SPDX-License-Identifier: MIT
// Types of expressions, what names in them mean, and what is reported of them. The messages: frontend/testdata/types.
#include "frontend/check_types/expr_checker.h"

#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

/// The result of checking the value of `return EXPRESSION;` in a rule with the region `a` and the variable `i`.
struct Checked {
  explicit Checked(const std::string& expression)
      : resolved("transform T from A[n] to B[n] { B.cell(i) from (A a) { return " + expression + "; } }"),
        value(resolved.node_of<ReturnStmt>(resolved.stmt<ReturnStmt>()).value),
        type(checker.check(value)),
        reports(resolved.take_reports()) {}

  testing::ResolvedRule resolved;
  Scopes scopes{resolved.context.program, resolved.transform, resolved.rule};
  LambdaUses lambdas{resolved.context};
  int num_lambdas = 0;
  ExprChecker checker{resolved.context, scopes, lambdas, [this](ExprId, const LambdaExpr&) { ++num_lambdas; }};
  ExprId value;
  BodyType type;
  std::string reports;
};

std::string type_of(const std::string& expression) {
  const Checked checked(expression);
  EXPECT_EQ(checked.reports, "") << expression;
  EXPECT_EQ(checked.resolved.context.type_of(checked.value), checked.type) << expression;
  return to_string(checked.type);
}

std::string reports_of(const std::string& expression) { return Checked(expression).reports; }

TEST(ExprChecker, ArithmeticIsThatOfCpp) {
  EXPECT_EQ(type_of("1 + 2"), "int");
  EXPECT_EQ(type_of("i / 2"), "int");
  EXPECT_EQ(type_of("1 + 2.5f"), "float");
  EXPECT_EQ(type_of("2 * 0.5"), "double");
  EXPECT_EQ(type_of("i < n"), "bool");
  EXPECT_EQ(type_of("i < n ? 1 : 2.0"), "double");
  EXPECT_EQ(type_of("sqrt(i)"), "double");
}

TEST(ExprChecker, AComputationWithAnElementStaysOne) {
  EXPECT_EQ(type_of("a.cell(i) * 2"), "ElementT");
  EXPECT_EQ(type_of("a.width() * 2"), "int");
}

TEST(ExprChecker, WhatTheGrammarDoesNotKnowPassesThrough) {
  EXPECT_EQ(Checked("some_function(i)").type.kind, BodyType::Kind::Unknown);
  EXPECT_EQ(Checked("some_function(i) + 1").type.kind, BodyType::Kind::Unknown);
}

TEST(ExprChecker, NamesGetTheirBinding) {
  const Checked checked("n");
  EXPECT_EQ(checked.resolved.context.binding_of(checked.value).kind, NameKind::SizeVar);
  const Checked call("sqrt(2.0)");
  EXPECT_EQ(call.resolved.context.binding_of(call.value).kind, NameKind::BuiltIn);
}

TEST(ExprChecker, WhatMayOnlyBeReadIsNotWritten) {
  EXPECT_EQ(reports_of("i++"), "WriteToReadOnly ");
  EXPECT_EQ(reports_of("n = 2"), "WriteToReadOnly ");
  EXPECT_EQ(reports_of("a.cell(0) = 1"), "WriteToReadOnly ");
}

TEST(ExprChecker, RegionsAreUsedAsRegions) {
  EXPECT_EQ(reports_of("a(1)"), "RegionCalled ");
  EXPECT_EQ(reports_of("a.cell(1, 2)"), "WrongCoordinateCount ");
  EXPECT_EQ(reports_of("A.cell(1)"), "MatrixNotInBody ");
  EXPECT_EQ(reports_of("IS_MISSING(a)"), "MissingOfOther ");
  EXPECT_EQ(reports_of("T(1)"), "CallInExpression ");
}

TEST(ExprChecker, StatementsOfALambdaAreCheckedElsewhere) {
  testing::ResolvedRule resolved(
      "transform T from A[n] to B[n] { B.cell(i) from (A a) { auto f = [&] { i = 2; }; return 0; } }");
  const Scopes scopes(resolved.context.program, resolved.transform, resolved.rule);
  LambdaUses lambdas(resolved.context);
  std::vector<ExprId> given;
  ExprChecker checker(resolved.context, scopes, lambdas, [&](ExprId id, const LambdaExpr&) { given.push_back(id); });
  const ExprId lambda = resolved.expr<LambdaExpr>();
  EXPECT_EQ(checker.check(lambda).kind, BodyType::Kind::Unknown);
  EXPECT_EQ(given, std::vector{lambda});
  EXPECT_EQ(resolved.take_reports(), "");
}

}  // namespace
}  // namespace pb::checking
