// SPDX-License-Identifier: MIT
#include "choicegraph/testing/formula_value.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "lang/region/affine.h"

namespace pb::testing {
namespace {

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  std::int64_t out = 1;
  for (std::int64_t i = 0; i < exponent; ++i) out *= base;
  return out;
}

Fraction reduced(std::int64_t num, std::int64_t den) {
  if (den < 0) return reduced(-num, -den);
  const std::int64_t common = std::max<std::int64_t>(std::gcd(num, den), 1);
  return {num / common, den / common};
}

}  // namespace

std::optional<std::int64_t> value_of(const Formula& formula, const Values& values) {
  if (const auto* literal = std::get_if<IntLiteral>(&formula.node)) return literal->value;
  if (const auto* symbol = std::get_if<SymbolRef>(&formula.node)) return values.at(symbol->name);
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    const auto inner = value_of(negated->operand[0], values);
    return inner ? std::optional(-*inner) : std::nullopt;
  }
  const auto& node = std::get<BinaryFormula>(formula.node);
  const auto a = value_of(node.operands[0], values);
  const auto b = value_of(node.operands[1], values);
  if (!a || !b) return std::nullopt;
  switch (node.op) {
    case FormulaOp::Add:
      return *a + *b;
    case FormulaOp::Sub:
      return *a - *b;
    case FormulaOp::Mul:
      return *a * *b;
    case FormulaOp::Div:
      return *b == 0 ? std::nullopt : std::optional(*a / *b);
    case FormulaOp::Pow:
      return power(*a, *b);
  }
  return std::nullopt;
}

std::optional<Fraction> fraction_of(const Formula& formula, const Values& values) {
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    const auto inner = fraction_of(negated->operand[0], values);
    return inner ? std::optional(Fraction{-inner->num, inner->den}) : std::nullopt;
  }
  const auto* node = std::get_if<BinaryFormula>(&formula.node);
  if (node == nullptr || node->op == FormulaOp::Pow) {
    const auto value = value_of(formula, values);
    return value ? std::optional(Fraction{*value, 1}) : std::nullopt;
  }
  const auto a = fraction_of(node->operands[0], values);
  const auto b = fraction_of(node->operands[1], values);
  if (!a || !b) return std::nullopt;
  switch (node->op) {
    case FormulaOp::Add:
      return reduced(a->num * b->den + b->num * a->den, a->den * b->den);
    case FormulaOp::Sub:
      return reduced(a->num * b->den - b->num * a->den, a->den * b->den);
    case FormulaOp::Mul:
      return reduced(a->num * b->num, a->den * b->den);
    case FormulaOp::Div:
      return b->num == 0 ? std::nullopt : std::optional(reduced(a->num * b->den, a->den * b->num));
    case FormulaOp::Pow:
      break;
  }
  return std::nullopt;
}

bool is_true(const Relation& relation, const Values& values) {
  const auto a = fraction_of(relation.lhs, values);
  const auto b = fraction_of(relation.rhs, values);
  if (!a || !b) return false;
  const std::int64_t left = a->num * b->den;
  const std::int64_t right = b->num * a->den;
  switch (relation.op) {
    case RelationOp::Less:
      return left < right;
    case RelationOp::LessEqual:
      return left <= right;
    case RelationOp::Greater:
      return left > right;
    case RelationOp::GreaterEqual:
      return left >= right;
    case RelationOp::Equal:
      return left == right;
    case RelationOp::NotEqual:
      return left != right;
  }
  return false;
}

namespace {

/// Whether `formula` holds a product of a rule variable with anything but a number. Tests write no other formula that
/// instances would have to test.
bool is_dynamic(const Formula& formula) {
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) return is_dynamic(negated->operand[0]);
  const auto* node = std::get_if<BinaryFormula>(&formula.node);
  if (node == nullptr) return false;
  const Formula& a = node->operands[0];
  const Formula& b = node->operands[1];
  const auto is_number = [](const Formula& f) { return std::holds_alternative<IntLiteral>(f.node); };
  const bool is_product = node->op == FormulaOp::Mul && !is_number(a) && !is_number(b);
  return (is_product && has_rule_var(formula)) || is_dynamic(a) || is_dynamic(b);
}

}  // namespace

bool is_dynamic(const Relation& relation) { return is_dynamic(relation.lhs) || is_dynamic(relation.rhs); }

bool has_dynamic_where(const Rule& rule) {
  return std::any_of(rule.where.begin(), rule.where.end(), [](const Relation& each) { return is_dynamic(each); });
}

}  // namespace pb::testing
