// SPDX-License-Identifier: MIT
// Regions that end before they begin.
#pragma once

#include "choicegraph/passes/analysis.h"

namespace pb::choices {

/// Reports regions that end before they begin. A region without cells is legal, so the one of an instance may be: only an
/// end below the begin is a slip, mostly that of an order of coordinates. Asked of instances that may run, for which rules
/// of higher priority leave something.
///
/// Reads:   `classes`
/// Errors:  where every size that has an instance has such a region; else a warning
void check_region_ends(Analysis& analysis);

}  // namespace pb::choices
