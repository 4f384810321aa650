// SPDX-License-Identifier: MIT
// Pass: the cells of inputs that may lie outside of their matrix, optional ones and those with a border
// (docs/reference/language.md 5.7), are tested only in instances where they may be outside. The innermost loop, or a
// whole box, runs in parts, and the part in the middle has no tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns the range of the innermost loop in which all cells lie inside of their matrices. The loop is then cut in
/// three parts, and the one in the middle runs without tests. Returns none if no cell may lie outside, or if those
/// instances do not form a range.
[[nodiscard]] std::optional<InsideRange> find_inside_range(const RuleShape& rule, const Step& step);

/// Returns the box of those instances whose cells all lie inside of their matrices; the caller adds the loops inside
/// and outside of it. Returns none if no cell may lie outside, or if those instances do not form a box.
[[nodiscard]] std::optional<InsideBox> find_inside_box(const RuleShape& rule, const Step& step);

/// Returns coordinate `dim` of a `.cell` access, which its border maps.
[[nodiscard]] MappedCoordinate mapped_coordinate(const RegionAccess& access, std::size_t dim);

}  // namespace pb
