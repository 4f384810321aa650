// SPDX-License-Identifier: MIT
// Pass: steps that each write every c-th cell of the same rows run as one loop (`fused` in the Plan).
#pragma once

#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns the loops of the steps, in the variables of the first one. At each point they compute the values of all
/// steps, and then store them. `rules` has the rules of the steps in their order.
[[nodiscard]] TreeBlock fused_loops(const std::vector<const RuleShape*>& rules, const TransformPlan& plan,
                                    const FusedSteps& steps);

}  // namespace pb
