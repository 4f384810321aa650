// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/manager_statistics.h"

#include <algorithm>
#include <utility>

namespace pbrt::gpu {

void ManagerStatistics::reject(RejectedKernel kernel) {
  const std::lock_guard lock(mutex_);
  ++statistics_.builds_rejected;
  rejected_.push_back(std::move(kernel));
}

void ManagerStatistics::add_kernel(const RuleDesc* rule, std::int64_t cells, std::int64_t time_ns) {
  const std::lock_guard lock(mutex_);
  std::vector<KernelTotals>& kernels = statistics_.kernels;
  auto found =
      std::find_if(kernels.begin(), kernels.end(), [rule](const KernelTotals& known) { return known.rule == rule; });
  if (found == kernels.end()) found = kernels.insert(found, KernelTotals{rule});
  ++found->launches;
  found->cells += cells;
  found->time_ns += time_ns;
}

DeviceStatistics ManagerStatistics::since_reset(const Device& device) const {
  const std::lock_guard lock(mutex_);
  DeviceStatistics result = statistics_;
  const Device::Counters now = device.counters();
  result.kernels_built = now.kernels_built - counters_at_reset_.kernels_built;
  result.kernels_from_disk = now.kernels_from_disk - counters_at_reset_.kernels_from_disk;
  result.build_ms = now.build_ms - counters_at_reset_.build_ms;
  result.kernel_ns = now.kernel_ns - counters_at_reset_.kernel_ns;
  result.bytes_by_threads = now.bytes_by_threads - counters_at_reset_.bytes_by_threads;
  result.bytes_locked = now.bytes_locked;
  result.lock_ns = now.lock_ns - counters_at_reset_.lock_ns;
  return result;
}

void ManagerStatistics::reset(const Device& device) {
  const std::lock_guard lock(mutex_);
  statistics_ = {};
  counters_at_reset_ = device.counters();
}

std::vector<RejectedKernel> ManagerStatistics::rejected() const {
  const std::lock_guard lock(mutex_);
  return rejected_;
}

}  // namespace pbrt::gpu
