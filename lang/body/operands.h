// SPDX-License-Identifier: MIT
// What an expression of a rule body is about, in the forms that loops have: a name, or the operand that `++` counts.
#pragma once

#include <string_view>
#include <variant>

#include "lang/body/body.h"

namespace pb {

/// Whether `id` is the name `text` and nothing more.
inline bool is_name(const Body& body, ExprId id, std::string_view text) {
  const auto* node = std::get_if<NameExpr>(&body.exprs[id].node);
  return node != nullptr && node->text == text;
}

/// The operand of `++x` or `x++`. None if `id` is none, or another expression.
inline ExprId incremented_operand(const Body& body, ExprId id) {
  const auto* node = id.is_none() ? nullptr : std::get_if<UnaryExpr>(&body.exprs[id].node);
  const bool is_increment = node != nullptr && (node->op == UnaryOp::PreInc || node->op == UnaryOp::PostInc);
  return is_increment ? node->operand : ExprId();
}

/// The operand of `++x`, `x++`, `--x` or `x--`. None if `id` is none, or another expression.
inline ExprId stepped_operand(const Body& body, ExprId id) {
  const auto* node = id.is_none() ? nullptr : std::get_if<UnaryExpr>(&body.exprs[id].node);
  return node != nullptr && kind_of(node->op) == OperatorKind::Step ? node->operand : ExprId();
}

}  // namespace pb
