// SPDX-License-Identifier: MIT
// The shape of a wavefront: its blocks, and the launches of their anti-diagonals. See Note [Shapes of waves] in
// wave_shape.cpp. Private to runtime/gpu.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"

namespace pbrt::gpu {

struct WaveShape {
  std::array<std::size_t, 3> group = {1, 1, 1};   ///< work-items of a group, per row
  std::array<std::size_t, 3> span = {1, 1, 1};    ///< places of a block along each row
  std::array<std::size_t, 3> blocks = {1, 1, 1};  ///< how many blocks stand along each row
};

/// Returns the shape that the plan gives, where a 0 in the group or in the items has all of it chosen; none if the rows
/// are too long for a device's whole numbers.
///
/// Pre: the plan's kernel runs a wavefront
[[nodiscard]] std::optional<WaveShape> wave_shape_of(const LaunchPlan& plan, const DeviceInfo& device);

/// Returns the launches of all anti-diagonals of blocks, in their order.
[[nodiscard]] std::vector<LaunchStage> waves_of(const LaunchPlan& plan, const WaveShape& shape, Kernel* kernel);

}  // namespace pbrt::gpu
