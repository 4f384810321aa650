// SPDX-License-Identifier: MIT
// The tasks of tbb.cpp on runtime/sched, as its C++ interface offers them.
#include "runtime/sched/scheduler.h"
#include "tasks.h"

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
  baseline::Run run(argc, argv);
  pbrt::Scheduler scheduler(run.threads());
  scheduler.run([&](pbrt::Frame& root) {
    if (run.text("what", "fib") == "spawn") return measure_spawn(run, [&](int batch) { spawn(root, batch); });
    measure_fib(run, [&](int n) { return fib(root, n); });
  });
}
