// SPDX-License-Identifier: MIT
// Tasks on oneTBB's task_group. --what spawn: --tasks empty tasks, --batch of them before each wait. --what fib:
// Fibonacci numbers with one task per call, where one child is a task and the other a call. --what fib_wait: both
// children are tasks of the group, the second of them in place.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "tasks.h"

namespace {

using oneapi::tbb::task_group;

std::int64_t fib_run(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  task_group group;
  group.run([&a, n] { a = fib_run(n - 1); });
  const std::int64_t b = fib_run(n - 2);
  group.wait();
  return a + b;
}

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
  baseline::Run run(argc, argv);
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          std::size_t(run.threads()));
  oneapi::tbb::task_arena arena(run.threads());
  const std::string what = run.text("what", "fib");
  arena.execute([&] {
    if (what == "spawn") return measure_spawn(run, spawn);
    measure_fib(run, what == "fib" ? fib_run : fib_run_and_wait);
  });
}
