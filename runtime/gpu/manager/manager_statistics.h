// SPDX-License-Identifier: MIT
// The counters of a manager for DeviceStatistics, and the kernels that its device's driver rejected. Private to
// runtime/gpu.
//
// `mutex_` guards all of it. It is taken under mutexes of storage records; under it only Device::counters is called.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/device_statistics.h"

namespace pbrt::gpu {

/// Threads: any
class ManagerStatistics {
 public:
  /// Calls `change` with the counters to change.
  template <class F>
  void count(F&& change) {
    const std::lock_guard lock(mutex_);
    change(statistics_);
  }
  /// Counts a kernel that the driver rejected; reset() does not forget it.
  void reject(RejectedKernel kernel);
  /// Counts a kernel of `rule` on `cells` cells that took `time_ns`.
  void add_kernel(const RuleDesc* rule, std::int64_t cells, std::int64_t time_ns);

  /// The counts since start or the last reset.
  [[nodiscard]] DeviceStatistics since_reset(const Device& device) const;
  void reset(const Device& device);
  [[nodiscard]] std::vector<RejectedKernel> rejected() const;

 private:
  mutable std::mutex mutex_;
  DeviceStatistics statistics_;
  Device::Counters counters_at_reset_;
  std::vector<RejectedKernel> rejected_;
};

}  // namespace pbrt::gpu
