// SPDX-License-Identifier: MIT
// Which steps run as one loop, piece by piece (JointLoops of the runtime): the inside of a matrix and its borders, so
// that the borders are done while the cells beside them are in a cache.
#pragma once

#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shapes.h"

namespace pb {

/// Whether the step that follows `group` in the order of the plan may join it. It must be data-parallel on the CPU, run
/// over a box of as many dimensions, write the same matrices, and have no order to any member.
///
/// Pre: the plan is ordered; `group` has steps one after the other, each of which joined those before
[[nodiscard]] bool may_join(const RuleShapes& rules, const TransformPlan& plan, const std::vector<StepId>& group,
                            StepId next);

}  // namespace pb
