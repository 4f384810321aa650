// SPDX-License-Identifier: MIT
// Formulas of headers as exact integer expressions. A formula has two readings (docs/reference/language.md 5.4): as a
// value it is computed with C integer division, and as a condition it is exact and rational. Subterms without rule
// variables that are not affine stay whole and become parameters of regions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/formula.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"
#include "lang/region/region.h"

namespace pb {

/// Facts that conversions may rely on.
struct FormulaScope {
  std::vector<std::string> nonnegative;  ///< symbols that are never negative: divisions of them round down
  Region values = {};  ///< where formulas are evaluated: instances, or only parameters; may be unknown
};

/// The value of `formula` in C integer arithmetic. None if it holds a fraction, a power whose exponent is not a small
/// constant, or a division by 0.
[[nodiscard]] std::optional<IndexExpr> to_index_expr(const Formula& formula, const FormulaScope& scope);

/// numerator / denominator, exactly; the denominator is positive.
struct RationalExpr {
  IndexExpr numerator;
  std::int64_t denominator = 1;
};
/// `formula` as an exact rational affine function of its rule variables; none if it is no such function.
[[nodiscard]] std::optional<RationalExpr> to_rational(const Formula& formula, const FormulaScope& scope);

/// Whether `relation` is one between affine functions of the rule variables.
[[nodiscard]] bool is_affine(const Relation& relation);
/// lhs - rhs.
[[nodiscard]] Formula difference_of(const Relation& relation);

/// The smallest part of `formula` that is not affine in rule variables, for messages.
[[nodiscard]] const Formula* find_non_affine(const Formula& formula);

/// Integer coefficient of `symbol`; none if the formula is not affine in it.
[[nodiscard]] std::optional<std::int64_t> coefficient_of(const Formula& formula, std::string_view symbol);

/// The extents if they are numbers, the same in every call and instance. One below 0 counts as 0.
[[nodiscard]] std::optional<std::vector<std::int64_t>> constant_extents(const std::vector<Formula>& extents);

/// True if `formula` names a rule variable.
[[nodiscard]] bool has_rule_var(const Formula& formula);

/// Dimension names of cells: `x'`, `y'`, `z'`, `d3'`, … No identifier of a program is spelled so.
[[nodiscard]] std::vector<std::string> cell_dims(int num_dims);

/// Everything that each call guarantees about parameters: extents of inputs and outputs are not negative, and tunables
/// lie in their range.
[[nodiscard]] Region known_sizes(const RegionContext& context, const Transform& transform);
/// The scope of `transform`'s formulas, given its known_sizes.
[[nodiscard]] FormulaScope formula_scope(const Transform& transform, const Region& known);
/// The cells of `matrix`; none if an extent has no value.
[[nodiscard]] std::optional<Region> matrix_cells(const RegionContext& context, const Matrix& matrix,
                                                 const FormulaScope& scope);
/// The points of `domain` at which `relation` holds, as an exact rational condition; none if it is not affine.
[[nodiscard]] std::optional<Region> keep_where(const Region& domain, const Relation& relation,
                                               const FormulaScope& scope);
/// Whether C cuts off the fraction that `formula` may be. Without rule variables it is a value of the call, and whole.
[[nodiscard]] bool may_be_cut_off(const Formula& formula);
/// Values that are all 0 or more where dimension `dim` of `access` lies inside of `size` cells as the fractions that
/// its bounds are (docs/reference/language.md 5.4). None if a bound is not affine.
[[nodiscard]] std::optional<std::vector<IndexExpr>> inside_terms(const RegionAccess& access, std::size_t dim,
                                                                 const IndexExpr& size, const FormulaScope& scope);
/// The instances of `domain` whose box of `access` lies inside `matrix`: 0 <= begin and end - 1 < size in every
/// dimension that is not tested per instance. This has to hold both as an exact rational condition and as computed. A
/// coordinate without rule variables is a value of the call. A dimension that a border maps needs 0 < size. None if a
/// coordinate is not affine.
[[nodiscard]] std::optional<Region> keep_inside(const Region& domain, const RegionAccess& access, const Matrix& matrix,
                                                const FormulaScope& scope);

}  // namespace pb
