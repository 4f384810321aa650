// SPDX-License-Identifier: MIT
#include "frontend/resolve/fraction.h"

#include <charconv>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "lang/overloaded.h"

namespace pb::resolving {
namespace {

constexpr std::int64_t kMaxDen = 1'000'000'000;

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

std::optional<std::int64_t> constant_of(const Formula& formula) {
  if (const auto* literal = std::get_if<IntLiteral>(&formula.node)) return literal->value;
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    const auto operand = constant_of(negated->operand.front());
    return operand ? std::optional(-*operand) : std::nullopt;
  }
  return std::nullopt;
}

Formula times(Formula formula, std::int64_t factor) {
  const Span span = formula.span;
  return make_binary(FormulaOp::Mul, std::move(formula), make_int(factor, span));
}

/// The fraction in lowest terms where the numerator is constant; none if the denominator is large or zero.
std::optional<Fraction> reduced(Formula num, std::optional<std::int64_t> den) {
  if (!den || *den == 0) return std::nullopt;
  std::int64_t below = *den;
  if (below < 0) {
    below = -below;
    num = make_negated(std::move(num));
  }
  if (const auto value = constant_of(num)) {
    const std::int64_t common = std::gcd(*value, below);
    num = make_int(*value / common, num.span);
    below /= common;
  }
  if (below > kMaxDen) return std::nullopt;
  return Fraction{std::move(num), below};
}

/// The number as a fraction, read from its shortest decimal form: 0.1 is a tenth.
std::optional<Fraction> decimal_fraction(double value, Span span) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  if (error != std::errc()) return std::nullopt;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t mark = text.find('e');
  int exponent = std::stoi(std::string(text.substr(mark + 1)));
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c == '.')
      exponent -= static_cast<int>(mark - digits.size() - 1);
    else
      digits += c;
  }
  std::optional<std::int64_t> num = std::stoll(digits);
  std::optional<std::int64_t> den = 1;
  for (; exponent > 0 && num; --exponent) num = product(*num, 10);
  for (; exponent < 0 && den; ++exponent) den = product(*den, 10);
  return num ? reduced(make_int(*num, span), den) : std::nullopt;
}

std::optional<Fraction> sum(FormulaOp op, Fraction a, Fraction b) {
  const std::int64_t common = std::lcm(a.den, b.den);  // both are at most kMaxDen
  Formula left = times(std::move(a.num), common / a.den);
  Formula right = times(std::move(b.num), common / b.den);
  return reduced(make_binary(op, std::move(left), std::move(right)), common);
}

std::optional<Fraction> quotient(const BinaryFormula& binary, Fraction a, Fraction b) {
  if (!has_real(binary.operands[0]) && !has_real(binary.operands[1]))
    return Fraction{make_binary(FormulaOp::Div, std::move(a.num), std::move(b.num)), 1};
  const auto divisor = constant_of(b.num);
  if (!divisor) return std::nullopt;
  return reduced(times(std::move(a.num), b.den), product(a.den, *divisor));
}

std::optional<Fraction> power(const BinaryFormula& binary, Fraction base) {
  const auto exponent = constant_of(binary.operands[1]);
  std::optional<std::int64_t> den = 1;
  for (std::int64_t i = 0; exponent && i < *exponent && den && base.den > 1; ++i) den = product(*den, base.den);
  if (!exponent) return std::nullopt;
  return reduced({BinaryFormula{FormulaOp::Pow, {std::move(base.num), binary.operands[1]}}, binary.operands[0].span},
                 den);
}

std::optional<Fraction> combine(const BinaryFormula& binary) {
  auto a = as_fraction(binary.operands[0]);
  auto b = as_fraction(binary.operands[1]);
  if (!a || !b) return std::nullopt;
  switch (binary.op) {
    case FormulaOp::Add:
    case FormulaOp::Sub:
      return sum(binary.op, std::move(*a), std::move(*b));
    case FormulaOp::Mul:
      return reduced(make_binary(FormulaOp::Mul, std::move(a->num), std::move(b->num)), product(a->den, b->den));
    case FormulaOp::Div:
      return quotient(binary, std::move(*a), std::move(*b));
    case FormulaOp::Pow:
      return power(binary, std::move(*a));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fraction> as_fraction(const Formula& formula) {
  return std::visit(
      Overloaded{[&](const IntLiteral&) {
                   return std::optional(Fraction{formula, 1});
                 },
                 [&](const SymbolRef&) {
                   return std::optional(Fraction{formula, 1});
                 },
                 [&](const RealLiteral& literal) { return decimal_fraction(literal.value, formula.span); },
                 [](const BinaryFormula& binary) { return combine(binary); },
                 [](const NegatedFormula& negated) {
                   auto operand = as_fraction(negated.operand.front());
                   if (operand) operand->num = make_negated(std::move(operand->num));
                   return operand;
                 }},
      formula.node);
}

}  // namespace pb::resolving
