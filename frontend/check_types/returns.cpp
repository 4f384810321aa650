// SPDX-License-Identifier: MIT
#include "frontend/check_types/returns.h"

#include <algorithm>

#include "lang/body/math_functions.h"

namespace pb::checking {

void Returns::check(const ReturnStmt& stmt, Span span) {
  has_any_ = true;
  const Rule& rule = context_.rule;
  if (rule.is_return_form && stmt.value.is_none())
    context_.diags.emit(DiagKind::ReturnWithoutValue, span).label(rule.outputs.front().span, "the output has no name");
  if (!rule.is_return_form && !stmt.value.is_none()) {
    auto diag = context_.diags.emit(DiagKind::ReturnWithValue, span);
    if (!rule.outputs.empty()) diag.hint("assign to `" + rule.outputs.front().binding + "` instead");
  }
}

void Returns::report_if_missing() {
  const Body& body = context_.body();
  // An empty body is meant to return nothing.
  if (has_any_ || !context_.rule.is_return_form || body.tokens.empty()) return;
  const bool is_opaque = std::any_of(body.stmts.begin(), body.stmts.end(),
                                     [](const Stmt& stmt) { return std::holds_alternative<OpaqueStmt>(stmt.node); });
  const bool calls_others = std::any_of(body.exprs.begin(), body.exprs.end(), [](const Expr& expr) {
    const auto* call = std::get_if<CallExpr>(&expr.node);
    return std::holds_alternative<OpaqueExpr>(expr.node) ||
           (call != nullptr && find_math_function(call->callee) == nullptr);
  });
  if (is_opaque || calls_others) return;
  context_.diags.emit(DiagKind::NoReturn, body.span)
      .label(context_.rule.outputs.front().span, "the output has no name");
}

}  // namespace pb::checking
