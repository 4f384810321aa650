// SPDX-License-Identifier: MIT
// What devices did in a run and how long it took them, as the measurement protocol and configuration files have it.
#pragma once

#include <cstdint>

namespace pbrt {

/// Sums over the devices of a run.
struct DeviceCosts {
  std::int64_t launches = 0;  ///< of kernels
  std::int64_t bytes_to_device = 0, bytes_to_host = 0;
  double kernel_ns = 0;
  double copy_in_ns = 0, copy_out_ns = 0;  ///< of copies to the devices, and to the host
  double start_ns = 0;  ///< how long a device had nothing to do but what it had not begun yet: the cost of launches
  bool operator==(const DeviceCosts&) const = default;
};

}  // namespace pbrt
