// SPDX-License-Identifier: MIT
// Pass: steps that write every c-th cell of the same rows run as one loop (Plan: `fused`).
#pragma once

#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// The loops of the steps, in the variables of the first one: at each point the values of all, then all stores.
/// `rules`: of the steps, in their order.
[[nodiscard]] TreeBlock fused_loops(const std::vector<const RuleShape*>& rules, const TransformPlan& plan,
                                    const FusedSteps& steps);

}  // namespace pb
