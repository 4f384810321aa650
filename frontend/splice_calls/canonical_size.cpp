// SPDX-License-Identifier: MIT
#include "frontend/splice_calls/canonical_size.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace pb::splicing {
namespace {

struct Term {
  Formula of;
  std::int64_t count = 0;
};
struct Sum {
  std::int64_t constant = 0;
  std::map<std::string, Term> terms;  ///< by text
};

Formula binary(FormulaOp op, Formula lhs, Formula rhs) {
  const Span span = lhs.span;
  return {BinaryFormula{op, {std::move(lhs), std::move(rhs)}}, span};
}

/// a + count * b; none if a number leaves 64 bits.
std::optional<Sum> added(Sum a, const Sum& b, std::int64_t count) {
  const auto add = [count](std::int64_t& to, std::int64_t number) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(number, count, &product) && !__builtin_add_overflow(to, product, &to);
  };
  if (!add(a.constant, b.constant)) return std::nullopt;
  for (const auto& [text, term] : b.terms) {
    Term& to = a.terms.emplace(text, Term{term.of, 0}).first->second;
    if (!add(to.count, term.count)) return std::nullopt;
  }
  std::erase_if(a.terms, [](const auto& each) { return each.second.count == 0; });
  return a;
}

/// a / divisor, if it has no remainder whatever the names mean.
std::optional<Sum> divided(Sum a, std::int64_t divisor) {
  if (divisor <= 0 || a.constant % divisor != 0) return std::nullopt;
  a.constant /= divisor;
  for (auto& [text, term] : a.terms) {
    if (term.count % divisor != 0) return std::nullopt;
    term.count /= divisor;
  }
  return a;
}

Sum sum_of(const Formula& formula);

Formula formula_of(const Sum& sum, Span span) {
  std::optional<Formula> out;
  const auto add = [&](FormulaOp op, Formula term) {
    if (out) {
      out = binary(op, std::move(*out), std::move(term));
    } else {
      out = op == FormulaOp::Add ? std::move(term) : Formula{NegatedFormula{{std::move(term)}}, span};
    }
  };
  for (const bool is_negative : {false, true}) {
    for (const auto& [text, term] : sum.terms) {
      if ((term.count < 0) != is_negative) continue;
      const std::int64_t count = is_negative ? -term.count : term.count;
      add(is_negative ? FormulaOp::Sub : FormulaOp::Add,
          count == 1 ? term.of : binary(FormulaOp::Mul, {IntLiteral{count}, span}, term.of));
    }
  }
  if (sum.constant != 0 || !out) {
    const bool is_negative = sum.constant < 0 && out.has_value();
    add(is_negative ? FormulaOp::Sub : FormulaOp::Add, {IntLiteral{is_negative ? -sum.constant : sum.constant}, span});
  }
  return *std::move(out);
}

Sum whole(Formula formula) {
  Sum out;
  std::string text = to_string(formula);
  out.terms.emplace(std::move(text), Term{std::move(formula), 1});
  return out;
}

/// The value of a sum that is a number.
std::optional<std::int64_t> number_in(const Sum& sum) {
  return sum.terms.empty() ? std::optional(sum.constant) : std::nullopt;
}

Sum sum_of(const BinaryFormula& binary_formula, Span span) {
  const Sum lhs = sum_of(binary_formula.operands[0]);
  const Sum rhs = sum_of(binary_formula.operands[1]);
  std::optional<Sum> out;
  switch (binary_formula.op) {
    case FormulaOp::Add:
      out = added(lhs, rhs, 1);
      break;
    case FormulaOp::Sub:
      out = added(lhs, rhs, -1);
      break;
    case FormulaOp::Mul:
      if (const auto count = number_in(lhs)) out = added({}, rhs, *count);
      if (const auto count = number_in(rhs); count && !out) out = added({}, lhs, *count);
      break;
    case FormulaOp::Div:
      if (const auto divisor = number_in(rhs)) out = divided(lhs, *divisor);
      break;
    case FormulaOp::Pow:
      break;
  }
  if (out) return *std::move(out);
  Formula a = formula_of(lhs, span);
  Formula b = formula_of(rhs, span);
  if (binary_formula.op == FormulaOp::Mul && to_string(b) < to_string(a)) std::swap(a, b);
  return whole(binary(binary_formula.op, std::move(a), std::move(b)));
}

Sum sum_of(const Formula& formula) {
  if (const auto* number = std::get_if<IntLiteral>(&formula.node)) return {number->value, {}};
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    const auto out = added({}, sum_of(negated->operand.front()), -1);
    return out ? *out : whole(formula);
  }
  if (const auto* operation = std::get_if<BinaryFormula>(&formula.node)) return sum_of(*operation, formula.span);
  return whole(formula);
}

}  // namespace

Formula canonical(const Formula& formula) {
  // Real numbers have another arithmetic.
  return has_real(formula) ? formula : formula_of(sum_of(formula), formula.span);
}

}  // namespace pb::splicing
