// SPDX-License-Identifier: MIT
// How many versions a launch makes in time tiles where the configuration leaves it to the runtime (decision 59).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/gpu/device.h"
#include "runtime/gpu/launch.h"

namespace pbrt::gpu {

/// What launches of versions are.
struct VersionFacts {
  int num_dims;                         ///< loops, at most 3; what follows has a number for each
  const std::int64_t* extents;          ///< cells of a version
  const std::int64_t* radius;           ///< how far a version reads beside its cell
  std::size_t element_bytes;            ///< of a cell
  const std::int64_t* group = nullptr;  ///< the configuration's `work_group`; null: it says none
  const std::int64_t* items = nullptr;  ///< the configuration's `items`; null: it says none
};

/// The depth for a device that makes `rows` indices of the last loop: 3 or 5 where groups fill the GPU and have room in
/// its local memory, and little of them are margins, which their neighbours make, too; else 1. CPUs, whose work-items
/// wait for one another slowly, make one version.
[[nodiscard]] std::int64_t usual_depth_on(const DeviceInfo& device, const VersionFacts& facts, std::int64_t rows);

/// The depth that a configuration's `value` stands for: 0 leaves it to the runtime. All devices of a run have the same:
/// that of the device with the largest block, the first one of those. Without a device it is 1.
[[nodiscard]] std::int64_t depth_of(std::int64_t value, LaunchDevices devices, const VersionFacts& facts);

}  // namespace pbrt::gpu
