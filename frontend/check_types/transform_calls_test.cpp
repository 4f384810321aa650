// SPDX-License-Identifier: MIT
// Which transforms a call means, and which calls are refused. The messages: frontend/testdata/types.
#include "frontend/check_types/transform_calls.h"

#include "frontend/check_types/expr_checker.h"
#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

constexpr const char* kCallees = R"(
transform Sum from A[n], F to S { S from (A a, F f) { return n * f; } }
transform Power template <K(1, 3)> from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return K * a; } }
)";

/// Checks one call in a body that has the output region `b`, the output number `r` and the input region `a`.
struct Call {
  explicit Call(const std::string& text)
      : resolved(std::string(kCallees) + "transform T from A[n] to B[n], R { to (B b, R r) from (A a) { " + text +
                 " } }") {
    const StmtId id = resolved.stmt<TransformCallStmt>();
    const auto& call = resolved.node_of<TransformCallStmt>(id);
    const Scopes scopes(resolved.context.program, resolved.transform, resolved.rule);
    LambdaUses lambdas(resolved.context);
    ExprChecker exprs(resolved.context, scopes, lambdas, [](ExprId, const LambdaExpr&) {});
    for (const ExprId arg : call.template_args) (void)exprs.check(arg);
    for (const ExprId arg : call.args) (void)exprs.check(arg);
    result = resolve_call(resolved.context, id, call);
    reports = resolved.take_reports();
  }
  [[nodiscard]] std::string target(std::size_t i) const {
    return resolved.context.program.transforms[result->targets.at(i)].source_name;
  }

  testing::ResolvedRule resolved;
  std::optional<TransformCall> result;
  std::string reports;
};

TEST(ResolveCall, AnArgumentForEachMatrixMeansTheTransform) {
  const Call call("Sum(r, a, 2);");
  EXPECT_EQ(call.reports, "");
  ASSERT_TRUE(call.result.has_value());
  ASSERT_EQ(call.result->targets.size(), 1U);
  EXPECT_EQ(call.target(0), "Sum");
  EXPECT_EQ(call.result->args.size(), 3U);
  EXPECT_TRUE(call.result->choice.empty());
}

TEST(ResolveCall, AKnownTemplateArgumentMeansOneInstance) {
  for (const char* text : {"Power<2>(b, a);", "Power(2, b, a);"}) {
    const Call call(text);
    EXPECT_EQ(call.reports, "") << text;
    ASSERT_TRUE(call.result.has_value()) << text;
    ASSERT_EQ(call.result->targets.size(), 1U) << text;
    EXPECT_EQ(call.resolved.context.program.transforms[call.result->targets[0]].template_args,
              std::vector<std::int64_t>{2})
        << text;
    EXPECT_EQ(call.result->args.size(), 2U) << text;
  }
}

TEST(ResolveCall, AnUnknownTemplateArgumentMeansAnyInstance) {
  const Call call("Power<n>(b, a);");
  ASSERT_TRUE(call.result.has_value());
  EXPECT_EQ(call.result->targets.size(), 3U);
  EXPECT_EQ(call.result->choice.size(), 1U);
}

TEST(ResolveCall, RefusesWhatDoesNotFitTheHeader) {
  EXPECT_EQ(Call("spawn Som(r, a, 2);").reports, "UnknownTransform ");
  EXPECT_EQ(Call("Sum(r, a);").reports, "CallArgumentCount ");
  EXPECT_EQ(Call("Sum(r, a, a);").reports, "CallArgumentDimensions ");
  EXPECT_EQ(Call("Sum<1>(r, a, 2);").reports, "TemplateArgumentsNotTaken ");
  EXPECT_EQ(Call("Power<7>(b, a);").reports, "TemplateArgumentRange ");
}

TEST(ResolveCall, OutputsAreVariables) {
  EXPECT_EQ(Call("Power<1>(a, b);").reports, "CallOutputReadOnly ");
  EXPECT_EQ(Call("Sum(3, a, 2);").reports, "CallOutputNotVariable ");
}

}  // namespace
}  // namespace pb::checking
