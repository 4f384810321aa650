// SPDX-License-Identifier: MIT
// How a device runs a step whose instances depend on one another along one dimension only: its nest runs slice by
// slice, and each slice of the step is a launch of its own. The host makes the launches in the order of the slices, and
// a device executes them in the order in which they were made.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"

namespace pb {

/// Returns the nest in whose slices a device may run the step; null if the step has none. The nest has slices along one
/// coordinate, and it is the one that runs the step, whatever is chosen. Within a slice the step's instances are
/// independent. It is no scan that one launch runs (launch_scans.h).
///
/// Pre: the computations and the nests of the Plan are found
[[nodiscard]] const Nest* launch_nest(const TransformPlan& plan, StepId step);

/// Returns the step as a launch runs it: where it has a launch per slice, the loops inside of the slice, which are
/// data-parallel; else the step itself.
[[nodiscard]] Step step_of_launch(const TransformPlan& plan, StepId step);

/// Returns the variable whose value all instances of a launch share: that of the slices. Empty if there are no slices,
/// or if all instances of the step lie in one of them.
[[nodiscard]] std::string slice_variable(const TransformPlan& plan, StepId step);

/// Whether a device may run slices of a member of the nest.
///
/// Pre: the versions of the alternatives are found
[[nodiscard]] bool has_launches(const TransformPlan& plan, const Nest& nest);

/// Whether some alternative that runs the step has a device version.
[[nodiscard]] bool has_device_version(const TransformPlan& plan, const Step& step);

}  // namespace pb
