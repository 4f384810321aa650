// SPDX-License-Identifier: MIT
// The management thread of one device (paper 4.2): a FIFO of GPU tasks that workers push and never steal.
// Not here: what generated code calls (launch.h), the device itself (device.h).
//
// Workers do the tasks of small launches themselves: see Note [Launches of workers] in manager/manager_impl.cpp.
//
// Per kernel execution, in this order: one prepare task (kernel, buffers), one copy-in task per region (nothing if
// the data is there), one execute task (launch, eager read-backs), and completion tasks for what it enqueued. A task
// that is not ready goes to the end of the queue; when only such tasks remain the thread sleeps until a push or a
// completion callback wakes it. See Note [Wake-ups] in manager/queue/task_queue.cpp. Long copies go beside kernels
// that do not touch the same data: see Note [Copies beside kernels] in manager/device_copies.cpp.
#pragma once

#include <memory>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/device_statistics.h"
#include "runtime/gpu/manager_options.h"
#include "runtime/gpu/region_ref.h"

namespace pbrt {
class Frame;
}

namespace pbrt::gpu {

class DeviceCheck;   // check/device_check.h
struct ManagerImpl;  // manager/manager_impl.h

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

  /// What is known of wrong kernels; null unless results are compared with the CPU's.
  [[nodiscard]] DeviceCheck* check() const;

  [[nodiscard]] DeviceStatistics statistics() const;
  void reset_statistics();
  /// Counts a step whose launch was cut into pieces.
  void count_cut_launch();
  [[nodiscard]] std::vector<RejectedKernel> rejected_kernels() const;

  /// Both functions serve timing, and suspend the fiber. drop_device_copies() forgets this device's copy of the whole
  /// storage; what is newer there is copied out first. prefetch() copies the region in.
  void drop_device_copies(Frame& frame, Storage* storage);
  bool prefetch(Frame& frame, const RegionRef& region);
  /// Suspends the fiber until everything submitted so far has ended on the device (end of a `--resident` trial).
  void drain(Frame& frame);

  /// Tells all managers that code with descriptions of kernels was unloaded. Pre: its launches have ended
  static void note_unloaded_code() noexcept;

  [[nodiscard]] ManagerImpl& impl() { return *impl_; }

 private:
  std::unique_ptr<ManagerImpl> impl_;
};

}  // namespace pbrt::gpu
