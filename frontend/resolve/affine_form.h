// SPDX-License-Identifier: MIT
// Exact affine reading of formulas, and solving them for one name. Used by resolve for
// size variables (docs/reference/language.md 4.3) and rule variables (5.3); regions use isl instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lang/formula.h"

namespace pb {

/// A fraction in lowest terms with a positive denominator.
struct Rational {
  std::int64_t num = 0;
  std::int64_t den = 1;
  bool operator==(const Rational&) const = default;
  [[nodiscard]] bool is_zero() const { return num == 0; }
  [[nodiscard]] bool is_integer() const { return den == 1; }
};

/// The form constant + sum of coefficient * name; names with coefficient zero are absent.
struct AffineForm {
  Rational constant;
  std::map<std::string, Rational> terms;
};

/// Returns `formula` as an affine form over its names with exact rational division, or
/// nothing if it is not affine, holds a real number, or its numbers leave 64 bits.
[[nodiscard]] std::optional<AffineForm> affine_form(const Formula& formula);

/// How good an equation is for finding a size variable; smaller is preferred.
enum class SolutionRank : std::uint8_t {
  LoneVariable,     ///< `n`
  WithoutDivision,  ///< `n+2`, `w-KWIDTH+1`
  ExactDivision,    ///< `2*n-1`
  LossyDivision,    ///< `n/2`: several values of n have the same size
  BySize,           ///< `n*m`: nothing is known of n where m is 0
  BySearch,         ///< `n*n`
};

struct Solution {
  Formula value;  ///< for BySearch the equation's left side, which holds the wanted name
  SolutionRank rank = SolutionRank::LoneVariable;
};

/// Solves `formula == actual` for `name`, where every other name counts as known. The
/// result is meant for C integer arithmetic. Nothing if there is no such formula and no search is sure (`n*n - n`).
[[nodiscard]] std::optional<Solution> solve_for(const std::string& name, const Formula& formula, const Formula& actual);

/// `value` with its variables replaced; names absent from `values` stay.
[[nodiscard]] Formula substitute(const Formula& formula, const std::map<std::string, Formula>& values);

// Builders that fold constants and drop neutral elements; the span is the left operand's.
[[nodiscard]] Formula make_int(std::int64_t value, Span span);
[[nodiscard]] Formula make_binary(FormulaOp op, Formula lhs, Formula rhs);
[[nodiscard]] Formula make_negated(Formula operand);

}  // namespace pb
