// SPDX-License-Identifier: MIT
// Launches in blocks of rounds whose rounds are cut into ranges, because there are fewer groups than compute units:
// each range has groups of its own, which keep what their instances carry. A second launch combines that. Private to
// runtime/gpu.
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/work_shape.h"

namespace pbrt::gpu {

/// Returns how many rounds there are, or somewhat more, if the kernel knows.
[[nodiscard]] std::optional<std::size_t> rounds_of(const LaunchPlan& plan);

/// Returns into how many ranges the rounds are cut, if the shape has so many groups for each: see Note [Default parts]
/// in part_shape.cpp. What the plan gives counts, as far as there are blocks and memory for so many.
[[nodiscard]] std::size_t block_parts_of(const LaunchPlan& plan, const DeviceInfo& device, const WorkShape& shape,
                                         std::size_t num_groups);

/// Whether the plan is known to have so many rounds that ranges of them with large tiles are better than small tiles
/// that fill the device.
[[nodiscard]] bool has_many_rounds(const LaunchPlan& plan);

/// Returns the memory in which the groups of all ranges keep what their instances carry.
[[nodiscard]] std::size_t part_bytes_of(const LaunchPlan& plan, std::size_t parts);

/// Returns the shape of the second launch.
[[nodiscard]] WorkShape combining_shape_of(const LaunchPlan& plan, const DeviceInfo& device, std::size_t parts);
/// Returns the same with fewer work-items in a group; the same shape if it has one.
[[nodiscard]] WorkShape with_fewer_part_lanes(WorkShape shape);

/// Returns the work-items of the second launch, in groups that have part_lanes of each instance.
[[nodiscard]] KernelRange combining_range_of(const LaunchPlan& plan, const WorkShape& shape);

}  // namespace pbrt::gpu
