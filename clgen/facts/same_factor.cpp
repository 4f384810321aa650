// SPDX-License-Identifier: MIT
#include "clgen/facts/same_factor.h"

#include <variant>

#include "clgen/facts/value_before.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

class FactorReader {
 public:
  FactorReader(const Transform& transform, const Rule& rule, const ScannedValue& value)
      : transform_(transform), rule_(rule), body_(rule.body), value_(value) {}

  /// Whether the factor in an expression that has the value before in it is the same for all instances. Sums and
  /// differences of such factors are, too.
  [[nodiscard]] bool is_same(ExprId id) const {
    if (is_value_before(rule_, value_, id) || !has_before(id)) return true;
    const auto& node = body_.exprs[id].node;
    if (const auto* unary = std::get_if<UnaryExpr>(&node)) return is_same(unary->operand);
    const auto* binary = std::get_if<BinaryExpr>(&node);
    if (binary == nullptr) return false;
    const bool is_sum = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
    if (is_sum) return is_same(binary->lhs) && is_same(binary->rhs);
    const bool is_left = has_before(binary->lhs);
    return is_same(is_left ? binary->lhs : binary->rhs) && is_fixed(is_left ? binary->rhs : binary->lhs);
  }

 private:
  [[nodiscard]] bool has_before(ExprId id) const { return has_value_before(rule_, value_, id); }
  /// Whether all of the expression is the same for all instances.
  [[nodiscard]] bool is_fixed(ExprId id) const {
    bool out = true;
    walk_expr(body_, id, [&](ExprId inner) { out = out && is_fixed_part(inner); });
    return out;
  }
  [[nodiscard]] bool is_fixed_part(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (std::holds_alternative<NameExpr>(node)) return is_fixed(rule_.body_types.bindings[id.index()]);
    return std::holds_alternative<IntegerExpr>(node) || std::holds_alternative<FloatExpr>(node) ||
           std::holds_alternative<UnaryExpr>(node) || std::holds_alternative<BinaryExpr>(node) ||
           std::holds_alternative<CastExpr>(node);
  }
  [[nodiscard]] bool is_fixed(const NameBinding& binding) const {
    switch (binding.kind) {
      case NameKind::SizeVar:
      case NameKind::Tunable:
      case NameKind::Param:
      case NameKind::ScalarInput:
        return true;
      case NameKind::Input:
        return transform_.matrices[rule_.inputs[binding.index].matrix].num_dims() == 0;
      case NameKind::Unknown:
      case NameKind::Local:
      case NameKind::Output:
      case NameKind::Temporary:
      case NameKind::RuleVar:
      case NameKind::BuiltIn:
      case NameKind::Constant:
        return false;
    }
    return false;
  }

  const Transform& transform_;
  const Rule& rule_;
  const Body& body_;
  const ScannedValue& value_;
};

}  // namespace

bool has_same_factor(const Transform& transform, const Rule& rule, const ScannedValue& value) {
  return FactorReader(transform, rule, value).is_same(value.combine);
}

}  // namespace pb
