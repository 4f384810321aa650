// SPDX-License-Identifier: MIT
// Steps that may not access one matrix at the same time if one of them writes it on a device. A device knows boxes
// alone: a launch that writes a part of another shape, such as a triangle, takes all of the matrix to the device, and
// all of it comes back. So does one whose rule writes cells of which none counts, because other rules own them.
#pragma once

#include <vector>

#include "choicegraph/plan/plan.h"

namespace pb {

/// Returns pairs of steps that may run in the same call and have no edge, of which one writes a matrix in such a way
/// and has a device version, and the other one reads or writes it. In each pair the step that stands first in the plan
/// is `before`. Where one of the two runs on a device, one has to finish before the other. None if the plan has no
/// order for all choices.
[[nodiscard]] std::vector<StepEdge> interleaved_steps(const Transform& transform, const TransformPlan& plan);

/// Whether there would be such a pair with this step if it had a device version.
[[nodiscard]] bool is_interleaved(const Transform& transform, const TransformPlan& plan, StepId step);

}  // namespace pb
