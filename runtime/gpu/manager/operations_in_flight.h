// SPDX-License-Identifier: MIT
// Copies and kernels that a device was given and whose end the management thread has not applied yet. Private to
// runtime/gpu.
//
// Guarded by no mutex: all is the manager thread's. Only Operation::took and Operation::done run on the device's
// threads; they write what the manager thread reads after it has taken the end out of the task queue, whose mutex
// orders both.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/manager_trace.h"
#include "runtime/gpu/manager/task_queue.h"
#include "runtime/gpu/storage_record.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt::gpu {

/// A copy or a kernel in flight. Lives until the device has reported its end and the manager has seen it.
class Operation final : public Completion {
 public:
  /// The description of an operation in a trace.
  struct Label {
    TraceKind kind = TraceKind::Kernel;
    const RuleDesc* rule = nullptr;  ///< only for a kernel
    std::int64_t amount = 0;         ///< cells or bytes
  };

  Operation(TaskQueue& queue, const ManagerTrace& trace, const Label& of, CopyOrder in_order)
      : label(of), order(in_order), enqueued_ns(trace.time_ns()), queue_(queue), trace_(trace) {}
  void took(const DeviceTimes& device_times) noexcept override { times = device_times; }
  void done(bool ok) noexcept override { queue_.signal_end({this, ok, trace_.time_ns()}); }

  const Label label;
  const CopyOrder order;
  const std::int64_t enqueued_ns;  ///< if the manager is traced
  DeviceTimes times;               ///< zero unless the device is profiled; written before done

  std::vector<std::unique_ptr<OperationPart>> parts;
  // Manager thread only.
  bool is_applied = false;  ///< has ended, and the records know it
  bool is_ok = false;

 private:
  TaskQueue& queue_;
  const ManagerTrace& trace_;
};

/// Threads: manager thread only
class OperationsInFlight {
 public:
  OperationsInFlight(TaskQueue& queue, const ManagerTrace& trace) : queue_(queue), trace_(trace) {}

  /// Makes an operation that the caller gives to the device now.
  [[nodiscard]] std::shared_ptr<Operation> begin(const Operation::Label& label, CopyOrder order = CopyOrder::InQueue);
  /// Tells the records of the operation's parts that it has ended. A refused one ends without success.
  ///
  /// Pre: it is in flight; no mutex is held
  void end(Operation& operation, bool ok);
  /// Called after Device::finish of a device that failed: everything that was still under way has failed, whatever was
  /// reported since. An operation after the failed one in the queue may end well and yet have copied data that the
  /// failed one never wrote.
  void abandon();

  [[nodiscard]] bool is_empty() const { return operations_.empty(); }
  [[nodiscard]] bool has_kernels() const { return num_kernels_ != 0; }
  [[nodiscard]] bool has_copies_beside() const { return num_beside_ != 0; }
  /// Sends what was begun since the last call to the device.
  ///
  /// Errors: throws what Device::flush throws
  /// Post:   false: there was nothing
  bool flush(Device& device);

 private:
  TaskQueue& queue_;
  const ManagerTrace& trace_;
  std::vector<std::shared_ptr<Operation>> operations_;
  /// Operations of a failed device, which may still report their end.
  std::vector<std::shared_ptr<Operation>> abandoned_;
  int num_kernels_ = 0;  ///< how many of `operations_` are kernels
  int num_beside_ = 0;   ///< how many of `operations_` are copies beside the queue
  bool needs_flush_ = false;
};

}  // namespace pbrt::gpu
