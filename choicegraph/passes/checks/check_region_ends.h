// SPDX-License-Identifier: MIT
// Regions that end before they begin.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Reports outputs that end before they begin in all instances of a rule, which then makes nothing.
///
/// Errors:  RegionEndsBeforeBegin
void check_output_ends(Analysis& analysis);

/// Reports regions that end before they begin. A region may have no cells at some instance, so only an end below the
/// begin is a slip, mostly one in the order of coordinates. Only instances that may run are checked: those of which
/// rules of higher priority leave something.
///
/// Reads:   `classes`
/// Errors:  where every size that has an instance has such a region; else a warning
void check_region_ends(Analysis& analysis);

}  // namespace pb::choices
