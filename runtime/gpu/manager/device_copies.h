// SPDX-License-Identifier: MIT
// Copies between a storage and its buffer: which parts, in what order among the kernels, and what the record of the
// storage says of them. Private to runtime/gpu. See Note [Copies beside kernels] in device_copies.cpp.
//
// All is the manager thread's. What a copy does is decided and noted under the one mutex of the storage's record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/gpu/manager/managed_device.h"
#include "runtime/gpu/manager/manager_statistics.h"
#include "runtime/gpu/manager/operations_in_flight.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/queue/task_queue.h"
#include "runtime/gpu/storage_record.h"

namespace pbrt::gpu {

/// Who needs what is read back.
enum class Asker : std::uint8_t { Host, Device };

/// Threads: manager thread only
class DeviceCopies {
 public:
  /// `copies_unwritten`: cells without a value are copied, too, since results are compared.
  DeviceCopies(ManagedDevice& device, const TaskQueue& queue, OperationsInFlight& operations,
               ManagerStatistics& statistics, bool copies_unwritten = false)
      : device_(device),
        queue_(queue),
        operations_(operations),
        statistics_(statistics),
        copies_unwritten_(copies_unwritten) {}

  /// Enqueues writes of what a kernel reads and the device lacks; they count as copied at once.
  ///
  /// What is newer on another device is asked for, and waited for.
  ///
  /// Pre:    the device has a buffer of the storage
  /// Errors: DeviceRefusal, and then nothing has changed; DeviceLost if another device had it, and failed
  [[nodiscard]] Progress copy_in(LaunchJob& job, LaunchRegion& region);
  /// Brings what the job's windows have of their storages to the host, and waits until the device uses no host memory
  /// there. Returns whether all is done; else it must be tried again.
  ///
  /// Errors: DeviceLost if a device had what the kernel reads, and failed
  [[nodiscard]] bool bring_for_windows(LaunchJob& job);
  /// Whether copy_in() has nothing to copy for the region, once it has a buffer, or so little that it takes no time.
  [[nodiscard]] bool is_brief(const LaunchJob& job, const LaunchRegion& region) const;
  /// Whether the launch enqueues no reads.
  [[nodiscard]] bool reads_nothing_back(const LaunchJob& job) const;
  /// Whether the kernel must wait for a copy beside the queue to end.
  [[nodiscard]] bool are_in_way_of(const LaunchJob& job) const;
  /// Keeps other devices away from the host's memory that the kernel works on, if it does. Returns false if one of them
  /// uses it now; then nothing is kept.
  [[nodiscard]] bool claim_host(LaunchJob& job) const;
  static void release_claims(LaunchJob& job);

  /// Enqueues the reads that follow directly after the kernel.
  void enqueue_eager_reads(LaunchJob& job);
  /// Enqueues the reads that wait until the kernel has ended; true if there are any.
  [[nodiscard]] bool enqueue_late_reads(LaunchJob& job);

  /// Enqueues reads, for the reason `why`, of all that is dirty and not under way, in the queue; they count as copied
  /// when the operation has ended. Returns null if there is nothing to read now.
  [[nodiscard]] std::shared_ptr<Operation> copy_out_all(Residence& home, StorageRef storage, const char* why);
  /// Reads a box back on demand, for the reason `why`, perhaps beside kernels; then it leaves out what is still being
  /// written. Returns false if it must be tried again.
  [[nodiscard]] bool bring(Residence& home, const StorageRef& storage, const char* why,
                           const std::function<GridBox(StorageRecord&)>& box_of, Asker asker = Asker::Host);

 private:
  /// A copy between a storage and its window that has begun; without an operation if there is nothing to copy.
  struct WindowCopy {
    std::vector<CopyShape> shapes;
    std::int64_t bytes = 0;
    std::shared_ptr<Operation> operation;
  };
  /// Begins a copy of what the launch touches, CopyIn, or writes, CopyOut. Errors of CopyIn: DeviceLost
  [[nodiscard]] WindowCopy begin_copy(const LaunchJob& job, const LaunchRegion& region, const LaunchWindow& window,
                                      TraceKind kind);
  /// As copy_in and enqueue_eager_reads, for a region whose storage has a window.
  void copy_into_window(LaunchJob& job, const LaunchRegion& region, const LaunchWindow& window);
  void read_window(LaunchJob& job, const LaunchRegion& region, const LaunchWindow& window);
  /// Why something is read back, for the trace.
  struct Cause {
    const RuleDesc* rule;  ///< of the kernel that wrote it; null: it is not known
    const char* why;
  };
  /// The boxes to read back, and where the copy stands among the operations.
  struct ReadBack {
    BoxSet boxes;
    CopyOrder order = CopyOrder::InQueue;
  };
  /// Enqueues reads of what `choose` says. Returns null if there is nothing to read.
  ///
  /// `choose` is called under the record's lock, and the copy is noted before the lock is released. So if the host
  /// overwrites boxes (forget), it does so either before, and they are not read, or it waits for the copy.
  /// What another device's operations use in the host's memory is left out, and `is_whole` becomes false.
  [[nodiscard]] std::shared_ptr<Operation> copy_out(Residence& home, StorageRef storage, const Cause& cause,
                                                    bool& is_whole, const std::function<ReadBack(Residence&)>& choose);
  /// The part of `missing` that has values, or all of it in runs that are checked. Pre: the record's mutex is held
  [[nodiscard]] BoxSet worth_copying(const StorageRecord& record, BoxSet missing) const;
  /// Leaves out of `missing` what has no value, and lets it count as current on the device. Returns whether there is
  /// any. Pre: the record's mutex is held
  [[nodiscard]] bool leave_out_unwritten(Residence& home, BoxSet& missing) const;
  /// Asks the managers of other devices for what is newer there of what the launch touches, unless they were asked.
  /// Pre: the record's mutex is not held
  static void ask_others(LaunchRegion& region);
  /// Whether some of these boxes are newer on another device. Pre: the record's mutex is held. Errors: DeviceLost
  [[nodiscard]] static bool is_away(const Residence& home, const BoxSet& missing);
  [[nodiscard]] static bool are_zero(const StorageRecord& record, const std::vector<CopyShape>& shapes);
  /// Whether these parts are worth a copy beside kernels.
  [[nodiscard]] bool are_long(const Residence& home, const BoxSet& boxes) const;
  /// Whether these parts leave the queue if kernels run: long ones, and what devices exchange. Pre: the record's mutex
  /// is held
  [[nodiscard]] bool may_go_beside(const Residence& home, const BoxSet& boxes) const;

  ManagedDevice& device_;
  const TaskQueue& queue_;
  OperationsInFlight& operations_;
  ManagerStatistics& statistics_;
  const bool copies_unwritten_;
};

}  // namespace pbrt::gpu
