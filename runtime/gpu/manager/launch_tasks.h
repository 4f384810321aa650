// SPDX-License-Identifier: MIT
// Runs the tasks of kernel executions: kernel and group, buffers, copies in, the kernel, read-backs, the end. Private
// to runtime/gpu.
//
// All is the manager thread's, jobs too once they are in the queue. Records are changed under their own mutexes, one at
// a time; fibers are woken while none is held.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/manager/choice/kernel_chooser.h"
#include "runtime/gpu/manager/manager_parts.h"
#include "runtime/gpu/manager/queue/device_task.h"

namespace pbrt::gpu {

/// Threads: manager thread only
class LaunchTasks {
 public:
  explicit LaunchTasks(const ManagerParts& parts) : parts_(parts), chooser_(parts.device, parts.statistics) {}

  // Errors: throw what the device throws but for refusals; after ManagedDevice::fail the same task may be run again.

  [[nodiscard]] Progress run(PrepareTask& task);
  [[nodiscard]] Progress run(CopyInTask& task);
  [[nodiscard]] Progress run(ExecuteTask& task);
  [[nodiscard]] Progress run(CompletionTask& task);
  /// Called before the device is closed.
  void forget_kernels() {
    chooser_.forget_kernels();
    launched_.clear();
  }

  /// Whether the task calls nothing that may take long: its buffers are there, and nothing is copied to them or from
  /// them. Whether its kernel is known, PrepareTask finds out.
  [[nodiscard]] bool is_brief(const Task& task) const;
  /// While `is_brief`, a PrepareTask is not ready if its kernel is not known.
  void set_brief(bool is_brief) {
    is_brief_ = is_brief;
    chooser_.set_brief(is_brief);
  }

 private:
  /// Ends a job and wakes its fiber if it still waits.
  void end(LaunchJob& job, bool ok, const std::string& reason);
  /// Ends a job without success. Always returns Done.
  Progress fail(LaunchJob& job, const std::string& reason);
  /// Ends a job that does not fit the device's memory. Always returns Done.
  Progress fail_for_memory(LaunchJob& job);
  /// Ends a job whose input was lost with another device. Always returns Done.
  Progress fail_as_lost(LaunchJob& job, const DeviceLost& lost);
  /// Chooses the job's kernel and gets its memory. Errors: KernelTable::NotKnown; DeviceLost
  [[nodiscard]] Progress prepare(LaunchJob& job);
  /// Gets the job's buffers, or those of its windows.
  [[nodiscard]] Progress acquire_memory(LaunchJob& job);
  /// The same in a kernel whose groups run all rounds each.
  [[nodiscard]] Progress acquire_without_parts(LaunchJob& job);
  /// Notes in the records what a job has written that had windows: the host has it, as if it had written it itself.
  static void record_windows(const LaunchJob& job);
  /// False: the job has ended.
  [[nodiscard]] bool choose_kernel(LaunchJob& job);
  void enqueue_kernel(LaunchJob& job);
  /// Notes in the records what the kernel, enqueued just now, writes and which memory it uses.
  /// Only the last stage writes regions.
  void record_kernel(const LaunchJob& job, Operation& operation, bool is_last);

  /// Whether the job's kernels were launched in groups of this shape before. Drivers may compile at the first launch.
  [[nodiscard]] bool were_launched(const LaunchJob& job) const;

  const ManagerParts parts_;
  KernelChooser chooser_;
  bool is_brief_ = false;
  std::vector<KernelArg> arguments_;  ///< of the last launch; kept for its memory
  std::set<std::pair<const Kernel*, std::array<std::size_t, 3>>> launched_;
};

}  // namespace pbrt::gpu
