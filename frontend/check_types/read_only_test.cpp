// SPDX-License-Identifier: MIT
// What a body may write to, and what it may only read. The messages: frontend/testdata/types.
#include "frontend/check_types/read_only.h"

#include "frontend/check_types/expr_checker.h"
#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

/// The reports for a write to `target` in a rule with names of all kinds.
std::string reports_of(const std::string& target) {
  testing::ResolvedRule resolved(
      "transform W param p from A[n], S to B[n], R\ntunable block(1, 1, 9)\n{\n"
      "  duplicate(D, 1, 1) to (B b, R r) from (A a) using (tmp[n]) { " +
      target + " = 1; }\n}\n");
  const ExprId written = std::get<AssignExpr>(resolved.rule.body.exprs[resolved.expr<AssignExpr>()].node).lhs;
  Scopes scopes(resolved.context.program, resolved.transform, resolved.rule);
  scopes.push();
  scopes.declare_local("local", number_type(ElementType::Int), 0);
  LambdaUses lambdas(resolved.context);
  ExprChecker exprs(resolved.context, scopes, lambdas, [](ExprId, const LambdaExpr&) {});
  (void)exprs.check(written);
  EXPECT_EQ(resolved.take_reports(), "") << target;
  report_if_read_only(resolved.context, written, {});
  return resolved.take_reports();
}

TEST(ReadOnly, OutputsTemporariesAndLocalsAreWritten) {
  for (const char* target : {"b.cell(0)", "r", "tmp.cell(0)", "local", "unknown"})
    EXPECT_EQ(reports_of(target), "") << target;
}

TEST(ReadOnly, InputsSizesAndConstantsAreNot) {
  for (const char* target : {"a.cell(0)", "S", "n", "p", "block", "D"})
    EXPECT_EQ(reports_of(target), "WriteToReadOnly ") << target;
}

TEST(ReadOnly, AHandleMayBeAssigned) { EXPECT_EQ(reports_of("a"), ""); }

}  // namespace
}  // namespace pb::checking
