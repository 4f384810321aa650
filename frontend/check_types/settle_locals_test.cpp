// SPDX-License-Identifier: MIT
// The types and extents of locals that the text leaves to the C++ compiler.
#include "frontend/check_types/settle_locals.h"

#include "frontend/check_types/check_body.h"
#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

/// The last declaration of a body with the region `a` and the size `n`, settled: its type, then of each declarator the
/// name and the extents, `[?]` for one that is no number.
std::string settled(const std::string& body) {
  testing::ResolvedRule resolved("transform T from A[n] to B[n] { to (B b) from (A a) { " + body + " } }");
  Rule rule = resolved.rule;
  rule.body_types =
      check_body(resolved.context.program, {}, resolved.transform, resolved.rule, resolved.context.diags).types;
  EXPECT_EQ(resolved.take_reports(), "") << body;
  settle_locals(rule);
  EXPECT_EQ(rule.body_types.types.size(), rule.body.exprs.size()) << "each expression has a type";
  std::string out;
  for (const Stmt& stmt : rule.body.stmts) {
    const auto* decl = std::get_if<DeclStmt>(&stmt.node);
    if (decl == nullptr) continue;
    out = decl->type_text;
    for (const Declarator& declarator : decl->declarators) {
      out += " " + declarator.name;
      for (const ExprId extent : declarator.extents) {
        const auto* number = extent.is_none() ? nullptr : std::get_if<IntegerExpr>(&rule.body.exprs[extent].node);
        out += "[" + (number != nullptr ? number->text : "?") + "]";
      }
    }
  }
  return out;
}

TEST(SettleLocals, AutoIsTheTypeOfANumber) {
  EXPECT_EQ(settled("auto x = 2 * 0.5;"), "double x");
  EXPECT_EQ(settled("const auto x = n + 1, y = 2;"), "const int x y");
  EXPECT_EQ(settled("auto x = a.cell(0);"), "ElementT x");
  EXPECT_EQ(settled("auto x = a.count();"), "long x");
}

TEST(SettleLocals, AutoStaysWhereTheTypeIsNotKnown) {
  EXPECT_EQ(settled("auto x = unheard_of(n);"), "auto x");
  EXPECT_EQ(settled("auto x = a;"), "auto x") << "a region";
  EXPECT_EQ(settled("auto& x = b.cell(0);"), "auto x") << "a reference";
}

TEST(SettleLocals, ExtentsAreNumbersWhereTheyAreConstant) {
  EXPECT_EQ(settled("double w[2 * 3];"), "double w[6]");
  EXPECT_EQ(settled("const int k = 4; double w[k + 1];"), "double w[5]");
  EXPECT_EQ(settled("constexpr int k = 4, m = 2 * k; double w[m];"), "double w[8]");
  EXPECT_EQ(settled("double w[] = {1, 2, 3};"), "double w[3]");
}

TEST(SettleLocals, OtherExtentsStay) {
  EXPECT_EQ(settled("int k = 4; double w[k];"), "double w[?]") << "a variable";
  EXPECT_EQ(settled("const unsigned k = 4; double w[k];"), "double w[?]") << "not an int";
  EXPECT_EQ(settled("const int k = n; double w[k];"), "double w[?]") << "not known";
  EXPECT_EQ(settled("const int k = 4; { const int k = n; double w[k]; }"), "double w[?]") << "the inner one";
}

}  // namespace
}  // namespace pb::checking
