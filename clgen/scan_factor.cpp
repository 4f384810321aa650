// SPDX-License-Identifier: MIT
#include "clgen/scan_factor.h"

#include "clgen/facts/value_before.h"
#include "lang/check.h"

namespace pb {
namespace {

class FactorPrinter {
 public:
  FactorPrinter(BodyCodePrinter& printer, const Rule& rule, const ScannedValue& value, const std::string& type,
                const ChoiceText& choice)
      : printer_(printer), rule_(rule), body_(rule.body), value_(value), type_(type), choice_(choice) {}

  std::string print(ExprId id) {
    if (is_value_before(rule_, value_, id)) return number("1");
    if (is_free(id)) return number("0");
    const auto& node = body_.exprs[id].node;
    if (const auto* unary = std::get_if<UnaryExpr>(&node)) {
      const std::string inner = print(unary->operand);
      return unary->op == UnaryOp::Minus ? "(-" + inner + ")" : inner;
    }
    if (const auto* choice = std::get_if<ConditionalExpr>(&node))
      return choice_(*choice, print(choice->if_true), print(choice->if_false));
    const auto* binary = std::get_if<BinaryExpr>(&node);
    PB_CHECK(binary != nullptr, "an expression that is linear in the value before is one of these");
    const bool has_left = !is_free(binary->lhs), has_right = !is_free(binary->rhs);
    if (kind_of(binary->op) == OperatorKind::Sum) {
      if (!has_right) return print(binary->lhs);
      return "(" + print(binary->lhs) + (binary->op == BinaryOp::Sub ? " - " : " + ") + print(binary->rhs) + ")";
    }
    const std::string own = print(has_left ? binary->lhs : binary->rhs);
    const auto text = [&](ExprId part) { return printer_.expr(part, Precedence::Unary); };
    if (binary->op == BinaryOp::Div) return "(" + own + " / " + text(binary->rhs) + ")";
    return "(" + own + " * " + text(has_left ? binary->rhs : binary->lhs) + ")";
  }

 private:
  /// A number of the type that the value before has, so that all is computed as the source computes it.
  [[nodiscard]] std::string number(const std::string& digit) const { return "((" + type_ + ")" + digit + ")"; }
  [[nodiscard]] bool is_free(ExprId id) const { return !has_value_before(rule_, value_, id); }

  BodyCodePrinter& printer_;
  const Rule& rule_;
  const Body& body_;
  const ScannedValue& value_;
  const std::string& type_;
  const ChoiceText& choice_;
};

}  // namespace

std::string factor_text(BodyCodePrinter& printer, const Rule& rule, const ScannedValue& value, const std::string& type,
                        const ChoiceText& choice) {
  return FactorPrinter(printer, rule, value, type, choice).print(value.combine);
}

}  // namespace pb
