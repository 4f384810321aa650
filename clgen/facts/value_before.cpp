// SPDX-License-Identifier: MIT
#include "clgen/facts/value_before.h"

#include <variant>

#include "lang/body/body_walk.h"

namespace pb {

bool is_value_before(const Rule& rule, const ScannedValue& value, ExprId id) {
  const NameBinding& binding = rule.body_types.bindings[id.index()];
  return std::holds_alternative<NameExpr>(rule.body.exprs[id].node) && binding.kind == NameKind::Input &&
         binding.index == value.input;
}

bool has_value_before(const Rule& rule, const ScannedValue& value, ExprId id) {
  bool found = false;
  walk_expr(rule.body, id, [&](ExprId inner) { found = found || is_value_before(rule, value, inner); });
  return found;
}

bool may_begin_again(const Rule& rule, const ScannedValue& value) {
  bool out = false;
  walk_expr(rule.body, value.combine, [&](ExprId id) {
    const auto* choice = std::get_if<ConditionalExpr>(&rule.body.exprs[id].node);
    if (choice == nullptr) return;
    out = out || has_value_before(rule, value, choice->if_true) != has_value_before(rule, value, choice->if_false);
  });
  return out;
}

}  // namespace pb
