// SPDX-License-Identifier: MIT
// Which steps run as one loop, piece by piece (JointLoops of the runtime): the inside of a matrix and its borders, so
// that the borders are done while the cells beside them are in a cache.
#pragma once

#include <vector>

#include "choicegraph/plan/launches/step_cells.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shapes.h"

namespace pb {

/// Returns where the instances of a step lie in the boxes of joint loops: those of its own loops. Where a rule names a
/// coordinate of its cells, as `B.cell(x, 0)`, beside others that have a variable for it, they are those of its cells.
[[nodiscard]] CellDims joint_cells(const RuleShapes& rules, const TransformPlan& plan, StepId step);

/// Whether the step that follows `group` in the order of the plan may join it. It must be data-parallel on the CPU, run
/// over a box of as many dimensions (`joint_cells`), write the same matrices, and have no order to any member.
///
/// Pre: the plan is ordered; `group` has steps one after the other, each of which joined those before
[[nodiscard]] bool may_join(const RuleShapes& rules, const TransformPlan& plan, const std::vector<StepId>& group,
                            StepId next);

}  // namespace pb
