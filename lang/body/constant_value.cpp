// SPDX-License-Identifier: MIT
#include "lang/body/constant_value.h"

#include <algorithm>
#include <charconv>

#include "lang/body/operands.h"

namespace pb {
namespace {

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

}  // namespace

std::optional<std::uint64_t> literal_magnitude(const std::string& text) {
  const std::size_t suffix = std::min(text.find_first_of("uUlL"), text.size());
  if (text.find_first_not_of("uUlL", suffix) != std::string::npos) return std::nullopt;
  std::string digits = text.substr(0, suffix);
  std::erase(digits, '\'');
  int base = 10;
  std::size_t begin = 0;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    begin = 2;
  } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
    base = 2;
    begin = 2;
  } else if (digits.starts_with('0') && digits.size() > 1) {
    base = 8;
    begin = 1;
  }
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data() + begin, end, value, base);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> constant_value(const Body& body, ExprId id,
                                           const std::function<std::optional<std::int64_t>(ExprId)>& value_of_name) {
  if (id.is_none()) return std::nullopt;
  const auto& node = body.exprs[id].node;
  if (const auto* literal = std::get_if<IntegerExpr>(&node)) {
    const auto value = literal_magnitude(literal->text);
    return value && *value <= INT64_MAX ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
  }
  if (std::holds_alternative<NameExpr>(node)) return value_of_name ? value_of_name(id) : std::nullopt;
  if (const auto* unary = std::get_if<UnaryExpr>(&node)) {
    const bool is_sign = kind_of(unary->op) == OperatorKind::Sum;
    const auto operand = is_sign ? constant_value(body, unary->operand, value_of_name) : std::nullopt;
    return operand && unary->op == UnaryOp::Minus ? std::optional(-*operand) : operand;
  }
  const auto* binary = std::get_if<BinaryExpr>(&node);
  if (binary == nullptr) return std::nullopt;
  const auto lhs = constant_value(body, binary->lhs, value_of_name);
  const auto rhs = lhs ? constant_value(body, binary->rhs, value_of_name) : std::nullopt;
  return rhs ? apply(binary->op, *lhs, *rhs) : std::nullopt;
}

bool has_constant_end(const Body& body, const ForStmt& loop) {
  if (loop.condition.is_none()) return false;
  const auto* comparison = std::get_if<BinaryExpr>(&body.exprs[loop.condition].node);
  return comparison != nullptr && (constant_value(body, comparison->lhs) || constant_value(body, comparison->rhs));
}

std::optional<std::int64_t> constant_rounds(const Body& body, const ForStmt& loop) {
  const auto* init = loop.init.is_none() ? nullptr : std::get_if<DeclStmt>(&body.stmts[loop.init].node);
  const auto* test = loop.condition.is_none() ? nullptr : std::get_if<BinaryExpr>(&body.exprs[loop.condition].node);
  if (init == nullptr || init->declarators.size() != 1 || test == nullptr) return std::nullopt;
  const Declarator& variable = init->declarators.front();
  const ExprId counted = incremented_operand(body, loop.step);
  const bool is_inclusive = test->op == BinaryOp::LessEqual;
  if (variable.init.is_none() || counted.is_none() || !is_name(body, counted, variable.name) ||
      !is_name(body, test->lhs, variable.name) || (!is_inclusive && test->op != BinaryOp::Less))
    return std::nullopt;
  const auto first = constant_value(body, variable.init), last = constant_value(body, test->rhs);
  std::int64_t rounds = 0;
  if (!first || !last || __builtin_sub_overflow(*last, *first, &rounds)) return std::nullopt;
  if (is_inclusive && __builtin_add_overflow(rounds, 1, &rounds)) return std::nullopt;
  return std::max<std::int64_t>(rounds, 0);
}

}  // namespace pb
