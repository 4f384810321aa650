// SPDX-License-Identifier: MIT
// Choice sites: which segments are decided together, and what can be chosen for them.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Gives every segment its site. Segments with the same candidate list, over all matrices, are one part of a decision;
/// parts that a candidate's instances tie together are one site, and its alternatives are the consistent covers. See
/// Note [Merged sites].
///
/// Reads:   `plan.segments`, `classes`, `avoided`
/// Fills:   `plan.sites`, with the CPU version alone; of each segment `site` and `part`
/// Errors:  NoConsistentChoice; warns ManyAssignments where some covers were left out
void find_sites(Analysis& analysis);

}  // namespace pb::choices
