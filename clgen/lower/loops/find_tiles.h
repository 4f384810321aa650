// SPDX-License-Identifier: MIT
// Pass: contractions run in tiles of instances, and in blocks of rounds.
#pragma once

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns the loops of a step in tiles; an empty block if the step cannot run so, or gains nothing because no two of
/// its rows read the same cells.
[[nodiscard]] TreeBlock tile_loops(const TransformPlan& plan, const RuleShape& rule, StepId id);

}  // namespace pb
