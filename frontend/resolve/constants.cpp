// SPDX-License-Identifier: MIT
// Values of `duplicate` variables put into a body: into its tree and into its text.
#include <string>
#include <utility>

#include "frontend/resolve/affine.h"
#include "frontend/resolve/rule_scope.h"

namespace pb::resolving {
namespace {

void substitute_in_tree(Body& body, const std::string& name, const Formula& value) {
  const std::size_t count = body.exprs.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto* use = std::get_if<NameExpr>(&body.exprs[ExprId(i)].node);
    if (!use || use->text != name) continue;
    if (const auto* literal = std::get_if<IntLiteral>(&value.node)) {
      body.exprs[ExprId(i)].node = IntegerExpr{std::to_string(literal->value)};
      continue;
    }
    Expr magnitude = body.exprs[ExprId(i)];
    magnitude.node = IntegerExpr{to_string(std::get<NegatedFormula>(value.node).operand.front())};
    const ExprId operand = body.exprs.add(std::move(magnitude));
    body.exprs[ExprId(i)].node = UnaryExpr{UnaryOp::Minus, operand};
  }
}

void substitute_in_text(Body& body, const std::string& name, const Formula& value) {
  const bool is_negative = std::holds_alternative<NegatedFormula>(value.node);
  const std::string text = is_negative ? "(" + to_string(value) + ")" : to_string(value);
  for (std::size_t i = 0; i < body.tokens.size(); ++i) {
    if (body.tokens[i].text != name) continue;
    const std::string before = i > 0 ? body.tokens[i - 1].text : "";
    const std::string after = i + 1 < body.tokens.size() ? body.tokens[i + 1].text : "";
    if (before == "." || before == "->" || before == "::" || after == "::") continue;
    body.tokens[i].text = text;
  }
}

}  // namespace

void substitute_constants(Body& body, const std::map<std::string, Formula>& constants) {
  for (const auto& [name, value] : constants) {
    substitute_in_tree(body, name, value);
    substitute_in_text(body, name, value);
  }
}

}  // namespace pb::resolving
