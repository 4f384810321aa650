// SPDX-License-Identifier: MIT
// Orders the instances of one rule: loops with directions, and a nest if these leave little or no parallelism. See Note
// [Directions] in dependences.cpp.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Orders the instances of `step` so that each runs after those that it reads from.
///
/// Reads:   the step's loops and its entry of `step_sets`
/// Fills:   the order of its loops, `is_data_parallel`, perhaps a nest in `plan.nests`, or one for CPUs and one for devices
/// Errors:  false after NoLoopOrder or BorderReadsOwnCell
[[nodiscard]] bool order_loops(Analysis& analysis, StepId step);

}  // namespace pb::choices
