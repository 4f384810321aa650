// SPDX-License-Identifier: MIT
// The shape of a launch that runs scans: who runs a line, and how long its windows are. See Note [Shapes of scans] in
// scan_shape.cpp. Private to runtime/gpu.
#pragma once

#include <cstddef>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/work_shape.h"

namespace pbrt::gpu {

/// Returns the shape that the plan gives, where a 0 in the group or in the items has all of them chosen.
///
/// Pre: the plan's kernel runs scans
[[nodiscard]] WorkShape scan_shape_of(const LaunchPlan& plan, const DeviceInfo& device);

/// Returns the shape in which each line has one work-item.
[[nodiscard]] WorkShape line_shape_of(const LaunchPlan& plan, const DeviceInfo& device);

/// Returns the shape whose windows have half as many work-items. Pre: a group runs windows, of 2 work-items or more.
[[nodiscard]] WorkShape with_half_a_window(const LaunchPlan& plan, WorkShape shape);

/// Whether each window has a group of its own, because the device would not be full with a group for some lines.
[[nodiscard]] bool has_group_per_window(const LaunchPlan& plan, const WorkShape& shape, const DeviceInfo& device);

/// Returns the work-items of a launch in which groups run whole lines.
[[nodiscard]] KernelRange range_of_lines(const LaunchPlan& plan, const WorkShape& shape);
/// Returns those of a launch in which groups run windows.
[[nodiscard]] KernelRange range_of_windows(const LaunchPlan& plan, const WorkShape& shape);

/// The launch that clears the memory in which groups publish what their windows have, and the bytes of that memory.
struct ScanScratch {
  KernelRange range;
  std::size_t bytes = 0;
};
[[nodiscard]] ScanScratch scan_scratch_of(const LaunchPlan& plan, const WorkShape& shape);

}  // namespace pbrt::gpu
