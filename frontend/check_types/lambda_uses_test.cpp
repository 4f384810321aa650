// SPDX-License-Identifier: MIT
// Lambdas with calls of transforms: which of them may get away from the body.
#include "frontend/check_types/lambda_uses.h"

#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

/// A body that begins with `auto f = [&] { sync; };`, in which `f` is local 0.
struct BodyWithLambda {
  explicit BodyWithLambda(const std::string& rest)
      : resolved("transform T from A[n] to B[n] { to (B b) from (A a) { auto f = [&] { sync; }; " + rest + " } }") {
    const Body& body = resolved.rule.body;
    for (const ExprId id : body.exprs.ids()) {
      const auto* name = std::get_if<NameExpr>(&body.exprs[id].node);
      if (name != nullptr && name->text == "f") resolved.context.found.bindings[id.index()] = {NameKind::Local, 0};
    }
  }
  void note_all() {
    uses.note_runtime_call("`sync`", {});
    uses.note_lambda(resolved.expr<LambdaExpr>(), 0);
    const auto& decl = resolved.node_of<DeclStmt>(resolved.stmt<DeclStmt>());
    uses.note_local(decl, decl.declarators.front(), 0);
  }
  [[nodiscard]] std::string reports() {
    note_all();
    uses.report_escaping();
    return resolved.take_reports();
  }

  testing::ResolvedRule resolved;
  LambdaUses uses{resolved.context};
};

TEST(LambdaUses, ALambdaThatIsCalledStays) {
  EXPECT_EQ(BodyWithLambda("").reports(), "");
  EXPECT_EQ(BodyWithLambda("f();").reports(), "");
  EXPECT_EQ(BodyWithLambda("apply(f);").reports(), "") << "a function that the body calls calls it";
}

TEST(LambdaUses, ALambdaThatIsKeptMayRunLater) {
  EXPECT_EQ(BodyWithLambda("kept = f;").reports(), "CallInEscapingLambda ");
  EXPECT_EQ(BodyWithLambda("std::async(f);").reports(), "CallInEscapingLambda ");
  EXPECT_EQ(BodyWithLambda("apply(std::execution::par, f);").reports(), "CallInEscapingLambda ");
}

TEST(LambdaUses, ALambdaWithoutRuntimeCallsMayGoAnywhere) {
  BodyWithLambda body("kept = f;");
  body.uses.note_lambda(body.resolved.expr<LambdaExpr>(), 0);
  body.uses.report_escaping();
  EXPECT_EQ(body.resolved.take_reports(), "");
}

TEST(LambdaUses, ACallOfTheNameOfSuchALambdaIsARuntimeCall) {
  BodyWithLambda body("f();");
  body.note_all();
  const std::size_t before = body.uses.num_runtime_calls();
  body.uses.note_called({NameKind::Local, 1}, {});
  body.uses.note_called({NameKind::Input, 0}, {});
  EXPECT_EQ(body.uses.num_runtime_calls(), before) << "other names";
  body.uses.note_called({NameKind::Local, 0}, {});
  EXPECT_EQ(body.uses.num_runtime_calls(), before + 1);
}

}  // namespace
}  // namespace pb::checking
