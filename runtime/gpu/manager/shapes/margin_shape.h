// SPDX-License-Identifier: MIT
// The shape of a launch whose groups overlap (LaunchPlan::margins). See Note [Shapes with margins] in margin_shape.cpp.
// Private to runtime/gpu.
#pragma once

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/work_shape.h"

namespace pbrt::gpu {

[[nodiscard]] bool has_margins(const LaunchPlan& plan);

/// Returns the shape that the plan gives, where a 0 in the group or in the items has all of them chosen.
///
/// Pre: the launch has margins
[[nodiscard]] WorkShape margin_shape_of(const LaunchPlan& plan, const DeviceInfo& device);

/// Whether groups of this shape have instances of their own along each dimension.
[[nodiscard]] bool has_own_spans(const LaunchPlan& plan, const WorkShape& shape);

}  // namespace pbrt::gpu
