// SPDX-License-Identifier: MIT
// The clock of a manager: it stands still unless the manager is traced or timed. Private to runtime/gpu.
#pragma once

#include <cstdint>

#include "runtime/sched/trace/trace_lane.h"

namespace pbrt::gpu {

/// Threads: any
class TraceClock {
 public:
  explicit TraceClock(bool is_on) : is_on_(is_on) {}
  [[nodiscard]] bool is_on() const { return is_on_; }
  /// Now; 0 if nothing is recorded.
  [[nodiscard]] std::int64_t time_ns() const { return is_on_ ? trace_clock_ns() : 0; }

 private:
  const bool is_on_;
};

}  // namespace pbrt::gpu
