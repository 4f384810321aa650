// SPDX-License-Identifier: MIT
// Pass: inputs that may lie outside of their matrix, optional ones and those with a border
// (docs/reference/language.md 5.7), are tested per instance only where they may. Loops run in parts, and the one in the
// middle has no tests: along the innermost loop, or of a whole box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Where all cells that may lie outside are inside, along the innermost loop: then it is cut in three, and the part in
/// the middle runs without tests. None if there are no such cells, or those instances are no range.
[[nodiscard]] std::optional<InsideRange> find_inside_range(const RuleShape& rule, const Step& step);

/// Those instances of a box at which all cells lie inside, without what runs outside of them.
/// None if no input may lie outside, or those instances are no box.
[[nodiscard]] std::optional<InsideBox> find_inside_box(const RuleShape& rule, const Step& step);

/// Whether coordinate `dim` of a `.cell` access moves with the rule variable.
[[nodiscard]] bool moves_with(const RegionAccess& access, std::size_t dim, const std::string& var);

}  // namespace pb
