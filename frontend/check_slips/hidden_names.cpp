// SPDX-License-Identifier: MIT
#include <cstdint>
#include <set>
#include <string>

#include "frontend/check_slips/slips.h"
#include "lang/body/body_walk.h"

namespace pb::slips {
namespace {

/// What a local of that name hides; the span is unknown if it hides nothing.
struct Hidden {
  std::string what;
  Span span;
};

/// Whether a declaration names itself in its value, as `ElementT a = a + 1;` does. There is another warning for that.
bool names_itself(const Body& body, const Declarator& declarator) {
  if (declarator.init.is_none()) return false;
  const TokenRange range = body.exprs[declarator.init].tokens;
  for (std::uint32_t i = range.begin; i < range.end; ++i)
    if (body.tokens[i].text == declarator.name) return true;
  return false;
}

Hidden hidden_by(const Transform& transform, const Rule& rule, const std::string& name) {
  for (const auto* accesses : {&rule.outputs, &rule.inputs})
    for (const RegionAccess& access : *accesses)
      if (access.binding == name && !access.is_guest) return {"region", access.span};
  for (const SizeVar& var : transform.size_vars)
    if (var.name == name) return {"size variable", var.span};
  return {};
}

}  // namespace

void find_hidden_names(const Transform& transform, const Rule& rule, Diagnostics& diags) {
  std::set<StmtId> params;  // parameters of lambdas, whose names may hide others on purpose
  const auto look = [&](StmtId id) {
    const auto* decl = std::get_if<DeclStmt>(&rule.body.stmts[id].node);
    if (decl == nullptr || params.contains(id)) return;
    for (const Declarator& declarator : decl->declarators) {
      const Hidden hidden = hidden_by(transform, rule, declarator.name);
      if (!hidden.span.is_known() || names_itself(rule.body, declarator)) continue;
      diags.emit(DiagKind::LocalHides, declarator.name_span)
          .arg(declarator.name)
          .arg(hidden.what)
          .label(hidden.span, "the " + hidden.what)
          .hint("give the local another name");
    }
  };
  walk(rule.body, rule.body.root, look, [&](ExprId id) {
    const auto* lambda = std::get_if<LambdaExpr>(&rule.body.exprs[id].node);
    if (lambda != nullptr) params.insert(lambda->locals.begin(), lambda->locals.end());
  });
}

}  // namespace pb::slips
