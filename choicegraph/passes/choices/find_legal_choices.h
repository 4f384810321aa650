// SPDX-License-Identifier: MIT
// Finds out which rules may be chosen together (docs/architecture.md 6.6).
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Examines the assignments of rules to sites for each group of steps that need each other, counted over all
/// alternatives. Other steps always have an order. Adds a nest where one nest can run several steps of a group, and
/// forbids assignments without an order.
///
/// Reads:   `plan.sites`, `plan.steps`, `plan.edges`, `step_sets`
/// Fills:   `plan.forbidden`, `plan.nests` of several steps
/// Post:    `leave_order_to_nests` has run
/// Errors:  NoLegalOrder for a group without an order under any assignment; the warning ManyAssignments for a group of
///          which not all assignments were examined
void find_legal_choices(Analysis& analysis);

/// Changes the steps that only run as members of a nest of several steps, whatever is chosen. Their loops get the order
/// LoopOrder::Nested, they are not data parallel, and nests with such a step alone are removed.
void leave_order_to_nests(TransformPlan& plan);

}  // namespace pb::choices
