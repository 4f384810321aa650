// SPDX-License-Identifier: MIT
// An order of the steps that every assignment of rules may use, where there is one.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Sorts the steps so that every assignment may use their order, where there is such an order.
///
/// Reads:   `plan.edges`, `plan.nests`
/// Fills:   `plan.steps` and `step_sets`, in their order; the steps' ids in edges and nests
void sort_steps(Analysis& analysis);

/// Returns the steps of `plan` in an order that every assignment may use, where there is one.
[[nodiscard]] std::vector<StepId> sorted_steps(const TransformPlan& plan);

/// Keeps the steps of `order`, in that order; returns their new ids by the old ones.
///
/// Pre:     edges and nests name no other steps
std::vector<StepId> renumber_steps(TransformPlan& plan, const std::vector<StepId>& order);

}  // namespace pb::choices
