// SPDX-License-Identifier: MIT
// How many versions a launch makes in time tiles where the configuration leaves it to the runtime (decision 59).
#pragma once

#include <cstdint>

#include "runtime/gpu/device.h"
#include "runtime/gpu/launch.h"

namespace pbrt::gpu {

/// Returns 3 or 5 where groups of the usual shape fill the GPU, and little of them are margins, which their neighbours
/// make, too; else 1. CPUs, whose work-items wait for one another slowly, make one version.
///
/// `extents`: cells of a version along each of `num_dims` loops, at most 3; `radius`: how far a version reads beside
/// its cell along each of them.
[[nodiscard]] std::int64_t usual_depth_on(const DeviceInfo& device, int num_dims, const std::int64_t* extents,
                                          const std::int64_t* radius);

/// The depth that a configuration's `value` stands for: 0 leaves it to the runtime. Without a device it is 1.
[[nodiscard]] std::int64_t depth_of(std::int64_t value, LaunchDevices devices, int num_dims,
                                    const std::int64_t* extents, const std::int64_t* radius);

}  // namespace pbrt::gpu
