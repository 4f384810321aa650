// SPDX-License-Identifier: MIT
// The tasks of baseline_tbb.cpp on runtime/sched, as its C++ interface offers them, and the ceiling of both: the same
// recursion without tasks.
#include <cstdio>

#include "measure.h"
#include "runtime/sched/scheduler.h"

namespace {

std::int64_t fib(pbrt::Frame& parent, int n) {
  if (n < 2) return n;
  pbrt::CallFrame frame(parent);
  std::int64_t a = 0;
  frame.spawn([&a, n](pbrt::Frame& child) { a = fib(child, n - 1); });
  const std::int64_t b = fib(frame, n - 2);
  frame.sync();
  return a + b;
}

void spawn(pbrt::Frame& parent, int batch) {
  pbrt::CallFrame frame(parent);
  for (int i = 0; i < batch; ++i) frame.spawn([](pbrt::Frame&) {});
  frame.sync();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  pbrt::Scheduler scheduler(options.threads);
  scheduler.run([&](pbrt::Frame& root) {
    const double one = spawn_ns(options, 1, [&](int batch) { spawn(root, batch); });
    const double many = spawn_ns(options, 100, [&](int batch) { spawn(root, batch); });
    const double run = median_ns(options, [&] { check(options, fib(root, options.n)); });
    const double plain = median_ns(options, [&] { check(options, plain_fib(options.n)); });
    std::printf("{\"spawn_1_ns\": %.2f, \"spawn_100_ns\": %.2f, \"fib_ns\": %.0f, \"plain_fib_ns\": %.0f}\n", one, many,
                run, plain);
  });
}
