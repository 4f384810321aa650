// SPDX-License-Identifier: MIT
// What a traced manager records: its tasks on one lane, what the device did on others. Private to runtime/gpu.
//
// Guarded by no mutex: all is the manager thread's, but for is_on and time_ns, which read what the constructor wrote.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/gpu/manager.h"
#include "runtime/gpu/manager/device_task.h"
#include "runtime/gpu/manager/manager_statistics.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt::gpu {

class ManagerTrace {
 public:
  /// Makes the lanes of options.trace; without one nothing is recorded. `statistics` gets the kernels' times.
  ManagerTrace(const ManagerOptions& options, ManagerStatistics& statistics);

  // Any thread.

  [[nodiscard]] bool is_on() const { return managing_ != nullptr; }
  /// Now; 0 if nothing is recorded.
  [[nodiscard]] std::int64_t time_ns() const { return is_on() ? trace_clock_ns() : 0; }

  // Manager thread only. Pre: is_on()

  /// The task, begun at `start_ns`, is done.
  void record_task(const Task& task, std::int64_t start_ns);
  /// The device reported at `time_ns` that the operation has ended.
  void record_end(const Operation& operation, std::int64_t time_ns);

 private:
  /// A lane and when the operation before ended.
  struct Lane {
    TraceLane* lane = nullptr;
    std::int64_t free_ns = 0;
  };
  [[nodiscard]] Lane& lane_of(const Operation& operation);

  Trace* trace_;
  std::string name_;
  ManagerStatistics& statistics_;
  TraceLane* managing_ = nullptr;
  Lane on_device_, beside_in_, beside_out_;
};

}  // namespace pbrt::gpu
