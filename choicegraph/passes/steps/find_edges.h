// SPDX-License-Identifier: MIT
// Edges between steps: which step must have finished before another starts.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Finds what each step reads and the edges between steps: of those that read each other's cells, that overwrite each
/// other's (docs/architecture.md 6.5), and of steps of one rule that write the same cells.
///
/// Reads:   `plan.segments`, `plan.steps`, `step_sets`, `segment_sets`
/// Fills:   `plan.edges`, of each step `reads`
void find_edges(Analysis& analysis);

/// True if `reader` reads cells that `writer` writes as an owner.
///
/// Pre:     `reads` of the steps is filled
[[nodiscard]] bool reads_from(const Analysis& analysis, StepId reader, StepId writer);

}  // namespace pb::choices
