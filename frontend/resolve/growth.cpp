// SPDX-License-Identifier: MIT
#include "frontend/resolve/growth.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "lang/overloaded.h"

namespace pb {
namespace {

/// The largest degree: beyond it, what a search computes might leave 64 bits.
constexpr int kMaxDegree = 8;

/// A product of powers: exponents by name, all positive.
using Monomial = std::map<std::string, int>;
/// A sum of monomials: their coefficients, none zero.
using Polynomial = std::map<Monomial, std::int64_t>;

bool add_term(Polynomial& to, const Monomial& monomial, std::int64_t coefficient) {
  std::int64_t& sum = to[monomial];
  if (__builtin_add_overflow(sum, coefficient, &sum)) return false;
  if (sum == 0) to.erase(monomial);
  return true;
}

int degree_of(const Monomial& monomial) {
  int out = 0;
  for (const auto& [name, exponent] : monomial) out += exponent;
  return out;
}

std::optional<Polynomial> scaled_sum(Polynomial a, const Polynomial& b, std::int64_t factor) {
  for (const auto& [monomial, coefficient] : b) {
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(coefficient, factor, &scaled) || !add_term(a, monomial, scaled)) return std::nullopt;
  }
  return a;
}

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [left, left_factor] : a) {
    for (const auto& [right, right_factor] : b) {
      Monomial monomial = left;
      for (const auto& [name, exponent] : right) monomial[name] += exponent;
      std::int64_t factor = 0;
      if (degree_of(monomial) > kMaxDegree || __builtin_mul_overflow(left_factor, right_factor, &factor) ||
          !add_term(out, monomial, factor)) {
        return std::nullopt;
      }
    }
  }
  return out;
}

std::optional<Polynomial> power(const Polynomial& base, std::int64_t exponent) {
  if (exponent < 0 || exponent > kMaxDegree) return std::nullopt;
  std::optional<Polynomial> out = Polynomial{{{}, 1}};
  for (std::int64_t i = 0; out && i < exponent; ++i) out = product(*out, base);
  return out;
}

std::optional<Polynomial> polynomial_of(const Formula& formula);

std::optional<Polynomial> polynomial_of(const BinaryFormula& binary) {
  const auto lhs = polynomial_of(binary.operands[0]);
  const auto rhs = polynomial_of(binary.operands[1]);
  if (!lhs || !rhs) return std::nullopt;
  switch (binary.op) {
    case FormulaOp::Add:
      return scaled_sum(*lhs, *rhs, 1);
    case FormulaOp::Sub:
      return scaled_sum(*lhs, *rhs, -1);
    case FormulaOp::Mul:
      return product(*lhs, *rhs);
    case FormulaOp::Div:
      return std::nullopt;
    case FormulaOp::Pow: {
      const auto* exponent = std::get_if<IntLiteral>(&binary.operands[1].node);
      return exponent ? power(*lhs, exponent->value) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Polynomial> polynomial_of(const Formula& formula) {
  return std::visit(Overloaded{[](const IntLiteral& literal) -> std::optional<Polynomial> {
                                 Polynomial out;
                                 add_term(out, {}, literal.value);
                                 return out;
                               },
                               [](const RealLiteral&) -> std::optional<Polynomial> { return std::nullopt; },
                               [](const SymbolRef& ref) -> std::optional<Polynomial> {
                                 return Polynomial{{{{ref.name, 1}}, 1}};
                               },
                               [](const BinaryFormula& binary) { return polynomial_of(binary); },
                               [](const NegatedFormula& negated) -> std::optional<Polynomial> {
                                 const auto operand = polynomial_of(negated.operand.front());
                                 return operand ? scaled_sum({}, *operand, -1) : std::nullopt;
                               }},
                    formula.node);
}

/// `polynomial` with `name + 1` in the place of `name`, less itself.
std::optional<Polynomial> forward_difference(const std::string& name, const Polynomial& polynomial) {
  const Polynomial next{{{{name, 1}}, 1}, {{}, 1}};
  std::optional<Polynomial> out = Polynomial{};
  for (const auto& [monomial, coefficient] : polynomial) {
    Monomial rest = monomial;
    rest.erase(name);
    const auto found = monomial.find(name);
    const auto shifted = power(next, found == monomial.end() ? 0 : found->second);
    const auto term = shifted ? product(*shifted, {{rest, coefficient}}) : std::nullopt;
    out = term ? scaled_sum(*out, *term, 1) : std::nullopt;
    if (!out) return std::nullopt;
  }
  return scaled_sum(*out, polynomial, -1);
}

bool mentions(const Formula& formula, const std::string& name) {
  const std::vector<std::string> names = names_in(formula);
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether a formula is a positive number, small enough for what a search computes.
bool is_positive_number(const Formula& formula) {
  const auto* literal = std::get_if<IntLiteral>(&formula.node);
  return literal != nullptr && literal->value > 0 && literal->value <= INT32_MAX;
}

}  // namespace

bool grows_with(const std::string& name, const Formula& formula) {
  if (const auto polynomial = polynomial_of(formula)) {
    const auto growth = forward_difference(name, *polynomial);
    return growth && std::all_of(growth->begin(), growth->end(), [](const auto& term) { return term.second > 0; });
  }
  const auto* binary = std::get_if<BinaryFormula>(&formula.node);
  if (binary == nullptr) return false;
  const Formula& lhs = binary->operands[0];
  const Formula& rhs = binary->operands[1];
  switch (binary->op) {
    case FormulaOp::Add:
      return grows_with(name, lhs) && grows_with(name, rhs);
    case FormulaOp::Sub:
      return grows_with(name, lhs) && !mentions(rhs, name) && polynomial_of(rhs);
    case FormulaOp::Mul:
      return (is_positive_number(rhs) && grows_with(name, lhs)) || (is_positive_number(lhs) && grows_with(name, rhs));
    case FormulaOp::Div:
      return is_positive_number(rhs) && grows_with(name, lhs);  // truncation keeps the order
    case FormulaOp::Pow:
      return false;
  }
  return false;
}

}  // namespace pb
