// SPDX-License-Identifier: MIT
// Steps that write parts of one matrix that are no boxes, such as the two triangles of a square. A device knows boxes
// alone: a launch for one of the parts takes all of the matrix to the device, and all of it comes back. So no other
// step may write the matrix meanwhile.
#pragma once

#include <vector>

#include "choicegraph/plan/plan.h"

namespace pb {

/// Returns the pairs of steps that write the same scattered matrix (is_scattered), may run in the same call, have no
/// edge, and of which one has a device version. In each pair the step that stands first in the plan is `before`. Where
/// one of the two runs on a device, one has to finish before the other.
[[nodiscard]] std::vector<StepEdge> interleaved_steps(const TransformPlan& plan);

/// Whether another step that may run in the same call writes a scattered matrix that this one writes.
[[nodiscard]] bool is_interleaved(const TransformPlan& plan, StepId step);

}  // namespace pb
