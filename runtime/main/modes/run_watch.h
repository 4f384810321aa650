// SPDX-License-Identifier: MIT
// Ends the process if a run takes longer than --max-sec: a body cannot be stopped from outside. Used by the modes that
// run trials; the measurement server leaves this to its parent.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace pbrt {

/// Watches the time of what happens while it lives.
class RunWatch {
 public:
  /// Calls `expire` on a thread of its own if it lives longer than `seconds`; 0: no limit.
  ///
  /// Pre: `expire` does not return
  RunWatch(double seconds, std::function<void()> expire);
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace pbrt
