// SPDX-License-Identifier: MIT
// Reads `in LO..HI` behind inputs: bounds are formulas over size variables; those of integer matrices are whole.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/fraction.h"
#include "frontend/resolve/scope.h"
#include "lang/overloaded.h"

namespace pb::resolving {
namespace {

/// Computes the value of a formula without names. If the formula is whole, quotients are those of C.
class Evaluator {
 public:
  explicit Evaluator(bool is_whole) : is_whole_(is_whole) {}

  [[nodiscard]] std::optional<double> operator()(const Formula& formula) const {
    using Value = std::optional<double>;
    return std::visit(Overloaded{[](const IntLiteral& literal) { return Value(static_cast<double>(literal.value)); },
                                 [](const RealLiteral& literal) { return Value(literal.value); },
                                 [](const SymbolRef&) { return Value(); },
                                 [&](const BinaryFormula& binary) { return value_of(binary); },
                                 [&](const NegatedFormula& negated) {
                                   const Value operand = (*this)(negated.operand.front());
                                   return operand ? Value(-*operand) : operand;
                                 }},
                      formula.node);
  }

 private:
  [[nodiscard]] std::optional<double> value_of(const BinaryFormula& binary) const {
    const auto a = (*this)(binary.operands[0]);
    const auto b = (*this)(binary.operands[1]);
    if (!a || !b) return std::nullopt;
    switch (binary.op) {
      case FormulaOp::Add:
        return *a + *b;
      case FormulaOp::Sub:
        return *a - *b;
      case FormulaOp::Mul:
        return *a * *b;
      case FormulaOp::Div:
        return is_whole_ ? std::trunc(*a / *b) : *a / *b;
      case FormulaOp::Pow:
        return std::pow(*a, *b);
    }
    return std::nullopt;
  }

  bool is_whole_;
};

/// A bound as written, with its names bound; for integer matrices a whole number.
Formula bind_bound(const Formula& bound, bool is_real, const FormulaNames& names, bool& ok) {
  const auto value = Evaluator(false)(bound);
  if (is_real || !has_real(bound) || !value) return bind_formula(bound, names, ok);
  if (*value == std::floor(*value) && std::fabs(*value) < 1e15)
    return make_int(static_cast<std::int64_t>(*value), bound.span);
  names.scope.diags.emit(DiagKind::RealInFormula, bound.span).arg(names.where);
  ok = false;
  return make_int(0, bound.span);
}

/// The limits of an integer type shorter than `long`. The parser reads no bound outside of the limits of `long`.
struct Limits {
  std::int64_t least;
  std::int64_t greatest;
};
std::optional<Limits> limits_of(ElementType element) {
  switch (element) {
    case ElementType::Double:
    case ElementType::Float:
    case ElementType::Long:
      return std::nullopt;
    case ElementType::Int:
      return Limits{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case ElementType::Short:
      return Limits{std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()};
    case ElementType::UChar:
      return Limits{0, std::numeric_limits<std::uint8_t>::max()};
    case ElementType::UShort:
      return Limits{0, std::numeric_limits<std::uint16_t>::max()};
  }
  return std::nullopt;
}

void check_constants(const Matrix& matrix, Diagnostics& diags) {
  const ValueRange& range = *matrix.range;
  const Evaluator value_of(!is_floating(matrix.element));
  const auto lo = value_of(range.lo);
  const auto hi = value_of(range.hi);
  const bool is_empty = lo && hi && !(*lo <= *hi);
  if (is_empty) {
    diags.emit(DiagKind::EmptyRange, range.span)
        .arg(to_string(range))
        .arg(matrix.name)
        .hint("the smaller bound comes first");
    return;
  }
  const auto limits = limits_of(matrix.element);
  if (!limits) return;
  const auto is_outside = [&](const std::optional<double>& bound) {
    return bound && (*bound < static_cast<double>(limits->least) || *bound > static_cast<double>(limits->greatest));
  };
  if (!is_outside(lo) && !is_outside(hi)) return;
  diags.emit(DiagKind::RangeOutsideType, range.span)
      .arg(to_string(range))
      .arg(matrix.name)
      .arg(header_word(matrix.element))
      .arg(limits->least)
      .arg(limits->greatest);
}

}  // namespace

void bind_ranges(TransformScope& scope) {
  for (Matrix& matrix : scope.out.matrices) {
    if (!matrix.range) continue;
    bool ok = true;
    const bool is_real = is_floating(matrix.element);
    const FormulaNames names{scope, nullptr, nullptr, is_real ? "bound of a range" : "bound of an integer range",
                             is_real};
    matrix.range->lo = bind_bound(matrix.range->lo, is_real, names, ok);
    matrix.range->hi = bind_bound(matrix.range->hi, is_real, names, ok);
    if (ok) check_constants(matrix, scope.diags);
  }
}

}  // namespace pb::resolving
