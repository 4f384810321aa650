// SPDX-License-Identifier: MIT
// Devices and launches for tests of the shapes of launches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"

namespace pbrt::gpu {

/// A device with 100 compute units.
inline DeviceInfo shape_device_of(DeviceType type) {
  DeviceInfo out;
  out.type = type;
  out.compute_units = 100;
  out.max_group_size = 1024;
  out.max_group_shape = {1024, 1024, 64};
  return out;
}

/// A launch that begins at 0 in each loop. `group` and `items` are what the configuration says.
inline LaunchPlan launch_plan_of(const KernelDesc& kernel, const std::vector<std::int32_t>& extent,
                                 const std::array<std::size_t, 3>& group, const std::array<std::size_t, 3>& items) {
  LaunchPlan plan;
  plan.kernel = &kernel;
  plan.lo.assign(extent.size(), 0);
  plan.extent.assign(extent.begin(), extent.end());
  plan.group = group;
  plan.items = items;
  return plan;
}

}  // namespace pbrt::gpu
