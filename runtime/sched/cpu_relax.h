// SPDX-License-Identifier: MIT
// What a loop does between two looks at a variable that another thread will change. Used by searching workers and by
// the management threads of devices.
#pragma once

#include <sched.h>

#include <chrono>

namespace pbrt {

/// Lets the other thread of the core run, for some tens of cycles.
inline void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Offers the processor to other threads. Returns whether one of them wanted it: then the call takes long.
[[nodiscard]] inline bool yield_to_others() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kLongYield{20};
  const Clock::time_point before = Clock::now();
  sched_yield();
  return Clock::now() - before > kLongYield;
}

}  // namespace pbrt
