// SPDX-License-Identifier: MIT
// Values that are known when the program is compiled: template parameters and what is computed from them.
#include <charconv>
#include <string>

#include "frontend/check_types/body_checker.h"

namespace pb::checking {

std::optional<std::int64_t> literal_value(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c == 'u' || c == 'U' || c == 'l' || c == 'L') break;
    if (c != '\'') digits += c;
  }
  if (digits.empty() || digits.size() > 18 || digits.starts_with("0b") || digits.starts_with("0B")) return std::nullopt;
  return std::stoll(digits, nullptr, 0);
}

std::optional<std::int64_t> apply(BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (op == BinaryOp::Add) return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == BinaryOp::Sub) return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (op == BinaryOp::Mul) return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (b == 0 || b == -1) return std::nullopt;
  if (op == BinaryOp::Div) return a / b;
  if (op == BinaryOp::Mod) return a % b;
  return std::nullopt;
}

namespace {

std::string real_text(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Expr literal_of(const Constant& constant, const Expr& use, Body& body) {
  const auto* integer = std::get_if<std::int64_t>(&constant.value);
  const double real = integer == nullptr ? std::get<double>(constant.value) : 0;
  const bool is_negative = integer != nullptr ? *integer < 0 : real < 0;
  Expr out = use;
  if (integer != nullptr) {
    out.node = IntegerExpr{std::to_string(is_negative ? -*integer : *integer)};
  } else {
    out.node = FloatExpr{real_text(is_negative ? -real : real)};
  }
  if (!is_negative) return out;
  const ExprId magnitude = body.exprs.add(out);
  out.node = UnaryExpr{UnaryOp::Minus, magnitude};
  return out;
}

}  // namespace

std::optional<KnownValue> known_value(const BodyChecker& checker, ExprId id) {
  const Expr& expr = checker.body().exprs[id];
  if (const auto* literal = std::get_if<IntegerExpr>(&expr.node)) {
    const auto value = literal_value(literal->text);
    return value ? std::optional(KnownValue{*value, false}) : std::nullopt;
  }
  if (std::holds_alternative<NameExpr>(expr.node)) {
    const NameBinding& binding = checker.binding_of(id);
    if (binding.kind != NameKind::Constant) return std::nullopt;
    const auto* value = std::get_if<std::int64_t>(&checker.rule().constants[binding.index].value);
    return value != nullptr ? std::optional(KnownValue{*value, true}) : std::nullopt;
  }
  if (const auto* unary = std::get_if<UnaryExpr>(&expr.node)) {
    const bool is_sign = unary->op == UnaryOp::Minus || unary->op == UnaryOp::Plus;
    const auto operand = is_sign ? known_value(checker, unary->operand) : std::nullopt;
    if (!operand) return std::nullopt;
    return KnownValue{unary->op == UnaryOp::Minus ? -operand->value : operand->value, operand->names_constant};
  }
  if (const auto* binary = std::get_if<BinaryExpr>(&expr.node)) {
    const auto lhs = known_value(checker, binary->lhs);
    const auto rhs = lhs ? known_value(checker, binary->rhs) : std::nullopt;
    const auto value = rhs ? apply(binary->op, lhs->value, rhs->value) : std::nullopt;
    if (!value) return std::nullopt;
    return KnownValue{*value, lhs->names_constant || rhs->names_constant};
  }
  return std::nullopt;
}

void put_constants(Rule& rule) {
  const std::size_t count = rule.body.exprs.size();
  for (std::size_t i = 0; i < count; ++i) {
    const NameBinding binding = rule.body_types.bindings[i];
    if (binding.kind != NameKind::Constant) continue;
    const Expr literal = literal_of(rule.constants[binding.index], rule.body.exprs[ExprId(i)], rule.body);
    rule.body.exprs[ExprId(i)] = literal;
    rule.body_types.bindings[i] = {};
    if (rule.body.exprs.size() == rule.body_types.types.size()) continue;
    rule.body_types.types.push_back(rule.body_types.types[i]);  // the number under a minus sign
    rule.body_types.bindings.emplace_back();
  }
}

}  // namespace pb::checking
