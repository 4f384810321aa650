// SPDX-License-Identifier: MIT
// Which instances of a rule write which segments.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Divides the instances of each rule by the segments that they write. An instance produces all of its outputs, so what
/// is chosen for one of its segments concerns the others.
///
/// Reads:   `plan.segments`, `segment_sets`, `left_out`
/// Fills:   `classes`
void find_classes(Analysis& analysis);

}  // namespace pb::choices
