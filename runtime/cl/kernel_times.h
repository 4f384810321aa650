// SPDX-License-Identifier: MIT
// How long kernels ran on the device, by its own clock (queue profiling); for `--profile`. Private to runtime/cl.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/cl/object.h"

namespace pbrt::cl {

class KernelTimes {
 public:
  /// Keeps a reference to `api`. Pre: the queue of the events was made with CL_QUEUE_PROFILING_ENABLE.
  explicit KernelTimes(const Api& api) : api_(api) {}

  /// Threads: any
  void add(cl_event event);
  /// Sum over the kernels that have ended, in nanoseconds.
  ///
  /// Threads: any
  [[nodiscard]] std::int64_t total_ns();

 private:
  const Api& api_;
  std::mutex mutex_;
  std::vector<Event> running_;  // not yet counted
  std::int64_t total_ns_ = 0;
};

}  // namespace pbrt::cl
