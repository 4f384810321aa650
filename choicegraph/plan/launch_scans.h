// SPDX-License-Identifier: MIT
// How a device runs a step that is a scan: one launch runs all of its lines, from their first instances to their last
// ones. Such a step has no launch per slice.
#pragma once

#include <cstddef>

#include "choicegraph/plan/plan.h"

namespace pb {

/// Returns the scan as which a launch runs the step; null if it is none. Devices regroup scans. So those that another
/// order rounds in another way count only where a configuration may choose the order.
///
/// Pre: the computations of the Plan and the orders of the step's loops are found
[[nodiscard]] const Scan* scan_of_launch(const TransformPlan& plan, StepId step);

/// Returns the number of the scan's loop among those of the step, the fastest first.
///
/// Pre: the step has a loop over the scan's variable
[[nodiscard]] std::size_t loop_of(const Scan& scan, const Step& step);

}  // namespace pb
