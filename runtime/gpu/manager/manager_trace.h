// SPDX-License-Identifier: MIT
// Records for a traced manager: its tasks on one lane, the operations of its device on others. One that is only timed
// has no lanes, and counts how long operations took. Private to runtime/gpu.
//
// Guarded by no mutex: all is the manager thread's, but for is_on and clock, which read what the constructor wrote.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/gpu/manager/manager_statistics.h"
#include "runtime/gpu/manager/operation.h"
#include "runtime/gpu/manager/queue/device_task.h"
#include "runtime/gpu/manager/trace_clock.h"
#include "runtime/gpu/manager_options.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt::gpu {

class ManagerTrace {
 public:
  /// Makes the lanes of options.trace. Without one, and without options.is_timed, nothing is recorded. `statistics`
  /// gets the times of kernels and copies.
  ManagerTrace(const ManagerOptions& options, ManagerStatistics& statistics);

  // Any thread.

  [[nodiscard]] bool is_on() const { return clock_.is_on(); }
  /// The clock of what is recorded.
  [[nodiscard]] const TraceClock& clock() const { return clock_; }

  // Manager thread only. Pre: is_on()

  /// Records a task that began at `start_ns` and is done.
  void record_task(const Task& task, std::int64_t start_ns);
  /// Records that the device reported the end of the operation at `time_ns`.
  void record_end(const Operation& operation, std::int64_t time_ns);

 private:
  /// A lane, and the time at which its last operation ended.
  struct Lane {
    TraceLane* lane = nullptr;  ///< null without a trace
    std::int64_t free_ns = 0;
  };
  [[nodiscard]] Lane& lane_of(const Operation& operation);
  void record_idleness(const Lane& lane, std::int64_t enqueued_ns, std::int64_t start_ns);

  TraceClock clock_;
  Trace* trace_;
  std::string name_;
  ManagerStatistics& statistics_;
  TraceLane* managing_ = nullptr;
  Lane on_device_, beside_in_, beside_out_;
};

}  // namespace pbrt::gpu
