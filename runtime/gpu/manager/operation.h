// SPDX-License-Identifier: MIT
// A copy or a kernel that the device was given. Private to runtime/gpu.
//
// Guarded by no mutex: all is the manager thread's. Only Operation::took and Operation::done run on the device's
// threads; they write what the manager thread reads after it has taken the end out of the task queue, whose mutex
// orders both.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/task_queue.h"
#include "runtime/gpu/manager/trace_clock.h"
#include "runtime/gpu/storage_record.h"
#include "runtime/sched/rule_records.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt::gpu {

/// A copy or a kernel in flight. Lives until the device has reported its end and the manager has seen it.
class Operation final : public Completion {
 public:
  /// The description of an operation in a trace.
  struct Label {
    TraceKind kind = TraceKind::Kernel;
    const RuleDesc* rule = nullptr;  ///< the kernel's; of a copy, that of the kernel that reads or wrote it, if one did
    std::int64_t amount = 0;         ///< cells or bytes
    const char* why = nullptr;       ///< of a copy: its reason, in words that live as long as the program
  };

  Operation(TaskQueue& queue, const TraceClock& clock, const Label& of, CopyOrder in_order)
      : label(of), order(in_order), enqueued_ns(clock.time_ns()), queue_(queue), clock_(clock) {}
  void took(const DeviceTimes& device_times) noexcept override { times = device_times; }
  void done(bool ok) noexcept override { queue_.signal_end({this, ok, clock_.time_ns()}); }

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
  const TraceClock& clock_;
};

}  // namespace pbrt::gpu
