// SPDX-License-Identifier: MIT
// Launches that the device was given and that have not ended. They are kept here, not in the queue of tasks, so that
// only ends cost a look at them, however many there are. Private to runtime/gpu.
#pragma once

#include <deque>

#include "runtime/gpu/manager/queue/device_task.h"

namespace pbrt::gpu {

/// Threads: manager thread only
class LaunchesUnderWay {
 public:
  /// Keeps a job whose CompletionTask was not ready. Pre: it is executing
  void keep(const JobPtr& job);
  /// Whether the operations of one of them have ended.
  [[nodiscard]] bool has_ended() const { return first_ended() != jobs_.end(); }
  /// Takes a job whose operations have ended; null if there is none.
  [[nodiscard]] JobPtr take_ended();
  /// Whether one of them has a fiber that waits for its end, or results to read back then.
  [[nodiscard]] bool is_end_awaited() const { return num_awaited_ != 0; }

 private:
  [[nodiscard]] std::deque<JobPtr>::const_iterator first_ended() const;

  std::deque<JobPtr> jobs_;  ///< mostly in the order of their launches
  int num_awaited_ = 0;
};

}  // namespace pbrt::gpu
