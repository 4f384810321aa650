// SPDX-License-Identifier: MIT
// The management thread of one device (paper 4.2): a FIFO of GPU tasks that workers push and never steal.
// Not here: what generated code calls (launch.h), the device itself (device.h).
//
// Per kernel execution, in this order: one prepare task (kernel, buffers), one copy-in task per region (nothing if
// the data is there), one execute task (launch, eager read-backs), and completion tasks for what it enqueued. A task
// that is not ready goes to the end of the queue; when only such tasks remain the thread sleeps until a push or a
// completion callback wakes it. See Note [Wake-ups] in manager/task_queue.cpp. Long copies go beside kernels
// that do not touch the same data: see Note [Copies beside kernels] in manager/device_copies.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/gpu/device.h"
#include "runtime/gpu/launch.h"

namespace pbrt {
class Trace;
}

namespace pbrt::gpu {

/// Data existed only on a device that failed. The run must be repeated without the device.
class DeviceLost : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

struct ManagerOptions {
  /// Called with each one-line warning (a device dropped, a kernel rejected), by the management thread. Null: warnings
  /// go to standard error.
  void (*warn)(void* context, const char* line) = nullptr;
  void* warn_context = nullptr;
  /// Limit on the buffers' total size; 0: three quarters of the device's memory.
  std::uint64_t memory_limit_bytes = 0;
  /// How long the thread stays awake for the next event before it sleeps. Waking it costs tens of microseconds, as much
  /// as a small kernel. So staying awake pays for a device that does not compute on the host's own cores.
  std::chrono::nanoseconds patience{0};
  /// The trace that gets lanes called `name` and `name, management`; null: none. It outlives the manager.
  Trace* trace = nullptr;
  std::string trace_name;
};

/// The launches of one kernel that have ended, in a traced manager.
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
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t copies_to_device = 0;
  std::int64_t copies_to_host = 0;
  std::int64_t copies_avoided = 0;  ///< copy-in tasks that found the data there
  std::int64_t copies_beside = 0;   ///< how many of these copies went outside of the device's queue
  std::int64_t buffers_allocated = 0;
  std::int64_t evictions = 0;
  std::int64_t groups_clamped = 0;       ///< launches whose work-group shape did not fit device or kernel
  std::int64_t generic_builds_used = 0;  ///< launches beyond kMaxVariants
  std::int64_t builds_rejected = 0;
  std::int64_t requeues = 0;  ///< tasks that were not ready
  std::int64_t sleeps = 0;
  std::int64_t kernels_built = 0;  ///< kernels that the driver compiled
  std::int64_t kernels_from_disk = 0;
  double build_ms = 0;
  std::int64_t kernel_ns = 0;  ///< see Device::Counters
  std::vector<KernelTotals> kernels;
};

/// A kernel that this device's driver rejected.
struct RejectedKernel {
  std::string name;
  std::string log;
};

class Manager {
 public:
  explicit Manager(std::unique_ptr<Device> device, const ManagerOptions& options = {});
  /// Waits for everything in flight. Pre: no fiber waits on this manager; storages may outlive it (their device copies
  /// go).
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  [[nodiscard]] const DeviceInfo& info() const;
  /// False once the device failed; launches then fail with the reason.
  [[nodiscard]] bool is_alive() const;

  [[nodiscard]] DeviceStatistics statistics() const;
  void reset_statistics();
  [[nodiscard]] std::vector<RejectedKernel> rejected_kernels() const;

  /// Both functions serve timing, and suspend the fiber. drop_device_copies() forgets the device's copies of the whole
  /// storage; what is newer there is copied out first. prefetch() copies the region in.
  void drop_device_copies(Frame& frame, Storage* storage);
  bool prefetch(Frame& frame, const RegionRef& region);
  /// Suspends the fiber until everything submitted so far has ended on the device (end of a `--resident` trial).
  void drain(Frame& frame);

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace pbrt::gpu
