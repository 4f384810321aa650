// SPDX-License-Identifier: MIT
// How wide arithmetic on coordinates must be in generated code. Rule variables and sizes are ints where loops run. What
// a header computes from them is printed in 64 bits, unless 32 bits hold all values on the way, whatever the sizes are.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/formula.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"

namespace pb {

/// The values between which a result is known to lie, both included.
struct IntRange {
  std::int64_t lo = std::numeric_limits<std::int64_t>::min();
  std::int64_t hi = std::numeric_limits<std::int64_t>::max();
};
/// The coordinate of a cell inside of its matrix.
inline constexpr IntRange kCellInside{0, std::numeric_limits<std::int32_t>::max() - 1};
/// The end of a region inside of its matrix.
inline constexpr IntRange kEndInside{0, std::numeric_limits<std::int32_t>::max()};

/// Whether 32 bits hold the result and all values on the way to it, for any values of rule variables and sizes. The
/// result is known to lie in `result`. Sizes are never negative; rule variables lie below the largest int.
[[nodiscard]] bool fits_int(const IndexExpr& expr, const Transform& transform, IntRange result = {});
[[nodiscard]] bool fits_int(const Formula& formula, IntRange result = {});

/// Returns C++ of a coordinate or a bound over ints, with 64-bit arithmetic where it needs that.
[[nodiscard]] std::string to_index_cpp(const IndexExpr& expr, const Transform& transform, IntRange result = {});
[[nodiscard]] std::string to_index_cpp(const Formula& formula, IntRange result = {});
/// Returns C++ of a formula in 64 bits. If 64 bits may not hold its products, the C++ stops the run where they do not.
[[nodiscard]] std::string to_wide_cpp(const Formula& formula);
/// Returns C++ of a formula whose products 64 bits may not hold; none for other formulas.
[[nodiscard]] std::optional<std::string> to_exact_cpp(const Formula& formula);
/// Returns C++ of a header's formula in 64 bits, because products of sizes may be larger than an index.
[[nodiscard]] std::string to_wide_c(const Formula& formula);
/// Returns C++ of an extent over 64-bit values. It stops the run at a division by zero, and where 64 bits do not hold a
/// value.
[[nodiscard]] std::string to_extent_cpp(const Formula& formula);
/// Returns C++ of a value that a search for a size compares. The value only grows with the size, so the C++ gives the
/// largest 64-bit number instead of a larger one.
[[nodiscard]] std::string to_growing_cpp(const Formula& formula);
/// Returns OpenCL C of a coordinate or a bound over ints, in `long` where an int does not hold it.
[[nodiscard]] std::string to_index_opencl(const IndexExpr& expr, const Transform& transform, IntRange result = {});

/// Whether a formula over sizes is 0 or more, whatever the sizes are.
[[nodiscard]] bool is_never_negative(const Formula& formula);
/// Whether an int holds all values of a rule variable in that range, whatever the sizes are.
[[nodiscard]] bool has_int_values(const IndexRange& range, const Transform& transform);

/// Returns `formula` with its symbols as `spell` writes them. Where two numbers are the operands of an operator, the
/// first of them is spelled so, too, because their result may need the wider type.
template <class Spell>
[[nodiscard]] Formula with_spelling(const Formula& formula, const Spell& spell) {
  Formula out = formula;
  if (auto* symbol = std::get_if<SymbolRef>(&out.node)) symbol->name = spell(symbol->name);
  if (auto* negated = std::get_if<NegatedFormula>(&out.node))
    negated->operand[0] = with_spelling(negated->operand[0], spell);
  auto* binary = std::get_if<BinaryFormula>(&out.node);
  if (binary == nullptr) return out;
  const auto number = [](const Formula& operand) { return std::get_if<IntLiteral>(&operand.node); };
  if (number(binary->operands[0]) != nullptr && number(binary->operands[1]) != nullptr &&
      binary->op != FormulaOp::Pow) {
    const std::string text = std::to_string(number(binary->operands[0])->value);
    binary->operands[0].node = SymbolRef{SymbolKind::Unresolved, spell(text)};
    return out;
  }
  binary->operands[0] = with_spelling(binary->operands[0], spell);
  if (binary->op != FormulaOp::Pow) binary->operands[1] = with_spelling(binary->operands[1], spell);
  return out;
}

}  // namespace pb
