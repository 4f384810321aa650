// SPDX-License-Identifier: MIT
// Whole numbers of bodies as formulas of headers, about which more can be proved.
#pragma once

#include <cstddef>
#include <optional>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"
#include "lang/region/affine.h"

namespace pb::choices {

/// Returns the number of cells of a region in a dimension that its body indexes.
[[nodiscard]] std::optional<Formula> size_of(const RegionAccess& access, std::size_t body_dim);

/// Returns a whole number of the rule's body as a formula: sums of numbers, size variables, rule variables and sizes of
/// regions; none if the formula may not have its value.
[[nodiscard]] std::optional<Formula> formula_of(const Rule& rule, ExprId expr);

/// The values of a loop's variable: all from `lowest` on that are less than `end`, up or down.
struct LoopRange {
  Formula lowest, end;
  bool is_up = true;
};

/// Returns the range of a loop that takes steps of 1 or -1, if formulas have its bounds. So all work-items of an
/// instance compute the same range anywhere in the body.
[[nodiscard]] std::optional<LoopRange> range_of(const Rule& rule, const Fold& loop);

[[nodiscard]] Formula difference(Formula a, Formula b);

/// Whether `lhs op rhs` is wrong for all of these instances. `scope` is that of the transform's formulas.
[[nodiscard]] bool never_holds(const Region& instances, const Formula& lhs, RelationOp op, const Formula& rhs,
                               const FormulaScope& scope);
/// Whether the two are equal for all of these instances.
[[nodiscard]] bool are_equal(const Region& instances, const Formula& a, const Formula& b, const FormulaScope& scope);

}  // namespace pb::choices
