// SPDX-License-Identifier: MIT
// The shape of a launch whose folds run in blocks of rounds: a work-group copies what a block reads to panels in its
// local memory, and each work-item has several instances along two loops. Private to runtime/gpu.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/work_shape.h"

namespace pbrt::gpu {

/// Returns the shape of the launch, if its folds run in blocks: see Note [Default blocks] in block_shape.cpp.
/// `has_matrix_units`: whether the device has units for products of matrices.
[[nodiscard]] std::optional<WorkShape> block_shape_of(const LaunchPlan& plan, const DeviceInfo& device,
                                                      bool has_matrix_units = false);

/// Whether the plan asks for matrix units that run the rounds of its kernel's blocks, if the device has them.
[[nodiscard]] bool wants_matrix_units(const LaunchPlan& plan);

/// Returns the elements of each panel.
[[nodiscard]] std::vector<std::size_t> panel_elements_of(const LaunchPlan& plan, const WorkShape& shape);
/// Returns the memory of all panels.
[[nodiscard]] std::size_t panel_bytes_of(const LaunchPlan& plan, const WorkShape& shape);

}  // namespace pbrt::gpu
