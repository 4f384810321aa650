// SPDX-License-Identifier: MIT
// What a manager counts of the work of its device, for --stats and for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/sched/rule_records.h"

namespace pbrt::gpu {

/// The launches of one kernel that have ended, in a traced or timed manager.
struct KernelTotals {
  const RuleDesc* rule = nullptr;
  std::int64_t launches = 0;
  std::int64_t cells = 0;
  std::int64_t time_ns = 0;  ///< on the device; by its own clock if it is profiled
};

/// Counters since start or the last reset_statistics().
struct DeviceStatistics {
  std::int64_t launches = 0;
  std::int64_t launches_failed = 0;
  std::int64_t launches_by_workers = 0;       ///< launches that workers gave to the device themselves
  std::int64_t launches_in_blocks = 0;        ///< launches whose folds ran in blocks of rounds
  std::int64_t launches_in_parts = 0;         ///< among them, those with groups for each of several ranges of rounds
  std::int64_t launches_in_vectors = 0;       ///< launches whose work-items ran neighbouring instances in vectors
  std::int64_t launches_on_matrix_units = 0;  ///< among them, those whose rounds matrix units ran
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t copies_to_device = 0;
  std::int64_t copies_to_host = 0;
  std::int64_t copies_avoided = 0;  ///< copy-in tasks that found the data there
  std::int64_t copies_beside = 0;   ///< how many of these copies went outside of the device's queue
  std::int64_t buffers_allocated = 0;
  std::int64_t evictions = 0;               ///< buffers that were freed because others needed their memory
  std::int64_t bytes_evicted = 0;           ///< their size
  std::int64_t copies_before_eviction = 0;  ///< copies to the host for evictions: only the device had the data
  std::int64_t launches_cut = 0;            ///< steps whose launch was cut into several, because of the memory
  std::int64_t launches_in_windows = 0;     ///< launches that had parts of storages only (manager/windows)
  std::int64_t launches_verified = 0;       ///< launches whose results were compared with the CPU's
  std::int64_t launches_differing = 0;      ///< among them, those with other results
  std::int64_t launches_not_verified = 0;   ///< launches whose results should have been compared and were not
  std::int64_t groups_clamped = 0;          ///< launches whose work-group shape did not fit device or kernel
  std::int64_t generic_builds_used = 0;     ///< launches beyond kMaxVariants
  std::int64_t builds_rejected = 0;
  std::int64_t requeues = 0;  ///< tasks that were not ready
  std::int64_t sleeps = 0;
  std::int64_t kernels_built = 0;  ///< kernels that the driver compiled
  std::int64_t kernels_from_disk = 0;
  double build_ms = 0;
  std::int64_t kernel_ns = 0;         ///< see Device::Counters
  std::int64_t bytes_by_threads = 0;  ///< see Device::Counters
  std::int64_t bytes_locked = 0;      ///< now, not since the reset
  std::int64_t lock_ns = 0;           ///< see Device::Counters
  // In a traced or timed manager:
  std::vector<KernelTotals> kernels;
  std::int64_t copy_in_ns = 0;   ///< how long copies to the device took
  std::int64_t copy_out_ns = 0;  ///< how long copies to the host took
  std::int64_t start_ns = 0;     ///< how long the device had nothing to do but what it had not begun yet
};

/// A kernel that this device's driver rejected.
struct RejectedKernel {
  std::string name;
  std::string log;
};

}  // namespace pbrt::gpu
