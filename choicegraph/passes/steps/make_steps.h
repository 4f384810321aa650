// SPDX-License-Identifier: MIT
// Steps: which instances of a rule run for which segments, as loop nests.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Makes the steps with their loops. An instance produces all of its outputs, so segments that share instances share a
/// step.
///
/// Reads:   `plan.segments`, `plan.sites`, `classes`, `left_out`
/// Fills:   `plan.steps`, whose order is not yet right, and `step_sets`; `plan.nests` of single steps
/// Errors:  NoLoopOrder, BorderReadsOwnCell, RegionsTooComplex
void make_steps(Analysis& analysis);

}  // namespace pb::choices
