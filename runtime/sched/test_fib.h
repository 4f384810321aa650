// SPDX-License-Identifier: MIT
// Fibonacci numbers with a task per call and no cut-off: the recursion of the scheduler's tests and micro-benchmarks.
#pragma once

#include <cstdint>

#include "runtime/sched/frame.h"

namespace pbrt {

inline std::int64_t fib(Frame& parent, int n) {
  if (n < 2) return n;
  CallFrame frame(parent);
  std::int64_t a = 0;
  frame.spawn([&a, n](Frame& f) { a = fib(f, n - 1); });
  const std::int64_t b = fib(frame, n - 2);
  frame.sync();
  return a + b;
}

}  // namespace pbrt
