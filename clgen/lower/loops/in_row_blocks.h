// SPDX-License-Identifier: MIT
// Pass: loops along the rows of large matrices run in blocks.
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns blocks along the rows that replace the innermost loop; the caller sets their bounds and body. Returns none
/// if no output moves along its rows with that loop, and to other rows with the loops outside of it.
///
/// Pre: the instances of that loop may run side by side
[[nodiscard]] std::optional<RowBlocks> find_row_blocks(const RuleShape& rule, const Step& step);

}  // namespace pb
