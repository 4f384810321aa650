// SPDX-License-Identifier: MIT
// The choice grid: each matrix cut into segments, in which the list of candidate rules is constant
// (docs/architecture.md 6.2).
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Cuts the matrices that are not inputs into segments, exactly for every size: the sets are found cell by cell with
/// isl and then written as boxes, with conditions where they are none. See Note [Small sizes].
///
/// Reads:   the rules' regions and priorities, `cells`, `known`
/// Fills:   `plan.segments` without their sites, `segment_sets`, `left_out`; `plan.left_out`, `plan.uncovered`,
///          `plan.displaced`
/// Errors:  UncoveredOutput, RegionsTooComplex; warns of rules that make nothing since others name the versions
void cut_grid(Analysis& analysis);

}  // namespace pb::choices
