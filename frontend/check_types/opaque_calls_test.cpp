// SPDX-License-Identifier: MIT
// Which words of C++ that the grammar does not know are calls of transforms. The message: frontend/testdata/types.
#include "frontend/check_types/opaque_calls.h"

#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

/// What is reported of a `struct` of the body with this function, which the grammar leaves to C++.
std::string reports_of(const std::string& function, const std::string& native_function = "") {
  testing::ResolvedRule resolved(
      "transform Twice from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return 2 * a; } }\n"
      "transform T from A[n] to B[n] { to (B b) from (A a) { struct R { void f(int n) { " +
      function + " } } r; } }");
  const std::set<std::string> natives{native_function};
  Diagnostics messages;
  BodyContext context(resolved.context.program, natives, resolved.transform, resolved.rule, messages);
  const Scopes scopes(context.program, resolved.transform, resolved.rule);
  const StmtId id = resolved.stmt<OpaqueStmt>();
  report_call_in_opaque(context, scopes, resolved.node_of<OpaqueStmt>(id), resolved.rule.body.stmts[id].tokens);
  std::string out;
  for (const Diagnostic& diagnostic : messages.all()) out += std::string(info_of(diagnostic.kind).id) + " ";
  return out;
}

TEST(OpaqueCalls, AStatementThatCallsATransformIsReported) {
  EXPECT_EQ(reports_of("Twice(b, a);"), "CallInOpaque ");
  EXPECT_EQ(reports_of("n = 1; Twice(b, (a));"), "CallInOpaque ");
  EXPECT_EQ(reports_of("if (n > 0) Twice(b, a); else n = 2;"), "CallInOpaque ");
  EXPECT_EQ(reports_of("do Twice(b, a); while (n > 0);"), "CallInOpaque ");
  EXPECT_EQ(reports_of("Twice(b, a); Twice(a, b);"), "CallInOpaque ") << "one message per statement";
}

TEST(OpaqueCalls, OtherUsesOfTheNameAreNot) {
  EXPECT_EQ(reports_of("n = Twice(3) + 1;"), "") << "no statement";
  EXPECT_EQ(reports_of("f(n); Once(b, a);"), "") << "no transform";
  EXPECT_EQ(reports_of("int Twice(3);"), "") << "a declaration";
  EXPECT_EQ(reports_of("int m = int(n) Twice(3);"), "") << "the parenthesis before belongs to no `if` or loop";
  EXPECT_EQ(reports_of("n = Twice;"), "");
}

TEST(OpaqueCalls, AFunctionOfAPrefixBlockHidesTheTransform) {
  EXPECT_EQ(reports_of("Twice(b, a);", "Twice"), "");
  EXPECT_EQ(reports_of("Twice(b, a);", "Thrice"), "CallInOpaque ");
}

}  // namespace
}  // namespace pb::checking
