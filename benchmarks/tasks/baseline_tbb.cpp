// SPDX-License-Identifier: MIT
// The tasks of bench.py on oneTBB's task_group: time per spawn and wait of an empty task, and Fibonacci numbers with
// one task per call. The latter is written in two ways, of which the faster one counts. Prints JSON with medians in ns.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <cstdio>

#include "measure.h"

namespace {

using oneapi::tbb::task_group;

/// Runs one child as a task and the other as a call.
std::int64_t fib_run(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  task_group group;
  group.run([&a, n] { a = fib_run(n - 1); });
  const std::int64_t b = fib_run(n - 2);
  group.wait();
  return a + b;
}

/// Runs both children as tasks of the group, the second of them in place.
std::int64_t fib_run_and_wait(int n) {
  if (n < 2) return n;
  std::int64_t a = 0, b = 0;
  task_group group;
  group.run([&a, n] { a = fib_run_and_wait(n - 1); });
  group.run_and_wait([&b, n] { b = fib_run_and_wait(n - 2); });
  return a + b;
}

void spawn(int batch) {
  task_group group;
  for (int i = 0; i < batch; ++i) group.run([] {});
  group.wait();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          std::size_t(options.threads));
  oneapi::tbb::task_arena arena(options.threads);
  arena.execute([&] {
    const double one = spawn_ns(options, 1, [](int batch) { spawn(batch); });
    const double many = spawn_ns(options, 100, [](int batch) { spawn(batch); });
    const double run = median_ns(options, [&] { check(options, fib_run(options.n)); });
    const double wait = median_ns(options, [&] { check(options, fib_run_and_wait(options.n)); });
    std::printf("{\"spawn_1_ns\": %.2f, \"spawn_100_ns\": %.2f, \"fib_ns\": %.0f}\n", one, many, std::min(run, wait));
  });
}
