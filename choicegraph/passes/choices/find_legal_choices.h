// SPDX-License-Identifier: MIT
// Which rules may be chosen together (docs/architecture.md 6.6).
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Examines the assignments of rules to the sites of each cycle of steps. Only steps that need each other, counted over
/// all alternatives, can be without an order. Adds a nest for steps that one can run, and forbids assignments without
/// an order.
///
/// Reads:   `plan.sites`, `plan.steps`, `plan.edges`, `step_sets`
/// Fills:   `plan.forbidden`, `plan.nests` of several steps
/// Errors:  NoLegalOrder for a cycle that has none under any assignment; warns ManyAssignments where not all were examined
void find_legal_choices(Analysis& analysis);

/// Removes the order of the loops and the own nests of steps that only ever run in a nest of several steps.
void leave_order_to_nests(TransformPlan& plan);

}  // namespace pb::choices
