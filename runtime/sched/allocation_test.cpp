// SPDX-License-Identifier: MIT
// No heap allocation per task once the free lists are warm: operator new is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "runtime/sched/graph/task.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/step_graph.h"
#include "runtime/sched/test_fib.h"

namespace {
std::atomic<std::int64_t> num_allocations{0};

void* count_and_allocate(std::size_t bytes, std::size_t alignment) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  void* address = nullptr;
  if (posix_memalign(&address, alignment, bytes) != 0) throw std::bad_alloc();
  return address;
}
}  // namespace

// Not inlined: gcc warns of `free` for what a `new` returned that it does not see through.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return count_and_allocate(bytes, sizeof(void*) * 2); }
void* operator new[](std::size_t bytes) { return count_and_allocate(bytes, sizeof(void*) * 2); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return count_and_allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* address) noexcept { std::free(address); }
[[gnu::noinline]] void operator delete[](void* address) noexcept { std::free(address); }
[[gnu::noinline]] void operator delete(void* address, std::size_t) noexcept { std::free(address); }
[[gnu::noinline]] void operator delete[](void* address, std::size_t) noexcept { std::free(address); }
[[gnu::noinline]] void operator delete(void* address, std::align_val_t) noexcept { std::free(address); }
[[gnu::noinline]] void operator delete(void* address, std::size_t, std::align_val_t) noexcept { std::free(address); }

namespace pbrt {
namespace {

class Allocations : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Allocations, testing::Values(1, 4));

/// Allocations of the last of several runs of `body`: some runs may still grow the pools, since more tasks may be
/// alive.
template <class Body>
std::int64_t least_allocations(Scheduler& scheduler, Body body) {
  std::int64_t least = INT64_MAX;
  scheduler.run([&](Frame& root) {
    for (int round = 0; round < 20 && least != 0; ++round) {
      const std::int64_t before = num_allocations.load(std::memory_order_relaxed);
      body(root);
      least = std::min(least, num_allocations.load(std::memory_order_relaxed) - before);
    }
  });
  return least;
}

TEST_P(Allocations, SpawnedTasksMakeNone) {
  Scheduler scheduler(GetParam());
  EXPECT_EQ(least_allocations(scheduler, [](Frame& root) { EXPECT_EQ(fib(root, 16), 987); }), 0);
  EXPECT_EQ(least_allocations(scheduler,
                              [](Frame& root) {
                                for (int i = 0; i < 1000; ++i) root.spawn([](Frame&) {});
                                root.sync();
                              }),
            0);
}

TEST_P(Allocations, GraphTasksMakeNone) {
  Scheduler scheduler(GetParam());
  const auto body = [](Frame& root) {
    TaskGroup group(root);
    TaskRef before;
    for (int i = 0; i < 300; ++i) {
      TaskRef task =
          group.create(root, [&group, i](Frame& f) { return i % 3 == 0 ? group.create(f, [](Frame&) {}) : TaskRef(); });
      if (before) group.depend(root, task, before);
      group.start(root, task);
      before = std::move(task);
    }
    group.wait();
  };
  EXPECT_EQ(least_allocations(scheduler, body), 0);
}

TEST_P(Allocations, StepsMakeNone) {
  Scheduler scheduler(GetParam());
  const auto body = [](Frame& root) {
    const auto run_steps = [](Frame& frame, int num_steps) {
      StepGraph graph(frame);
      const auto nothing = [](Frame&) {};
      for (int i = 0; i < num_steps; ++i) {
        graph.add(nothing);
        if (i >= 8) graph.depend(i, i - 8);
      }
      graph.run();
    };
    run_steps(root, 5);
    run_steps(root, 200);
    CallFrame small(root, 1, 64);
    run_steps(small, 20);
  };
  EXPECT_EQ(least_allocations(scheduler, body), 0);
}

}  // namespace
}  // namespace pbrt
