// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/worker_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/sched/cpu_relax.h"

namespace pbrt {
namespace {

using State = WorkerClock::State;

TEST(WorkerClock, AddsUpTheStaysInEachState) {
  WorkerClock clock;
  clock.enter(State::Busy, 100);
  clock.enter(State::Searching, 130);
  clock.count_steal();
  clock.enter(State::Busy, 135);
  clock.enter(State::Parked, 145);
  EXPECT_EQ(clock.state(), State::Parked);
  EXPECT_EQ(clock.now().state, State::Parked);
  EXPECT_EQ(clock.now().since_ns, 145);
  const WorkerTimes times = clock.times(165);
  EXPECT_EQ(times.busy_ns, 40);
  EXPECT_EQ(times.search_ns, 5);
  EXPECT_EQ(times.idle_ns, 20) << "the state that lasts counts up to the time asked for";
  EXPECT_EQ(times.num_steals, 1);
}

TEST(WorkerClock, TimeOutsideOfRunsIsNoState) {
  WorkerClock clock;
  clock.enter(State::Busy, 10);
  clock.enter(State::Outside, 20);
  const WorkerTimes times = clock.times(1000);
  EXPECT_EQ(times.busy_ns, 10);
  EXPECT_EQ(times.search_ns + times.idle_ns, 0);
}

TEST(WorkerClock, ReadersSeeOneMoment) {
  WorkerClock clock;
  std::atomic<bool> is_done{false};
  clock.enter(State::Busy, 0);
  std::thread writer([&] {
    // Both stays of a round last equally long, so that the two sums never differ by more than one.
    for (std::int64_t time = 1; !is_done.load(std::memory_order_relaxed); time += 2) {
      clock.enter(State::Parked, time);
      clock.enter(State::Busy, time + 1);
      for (int i = 0; i < 10; ++i) cpu_relax();
    }
  });
  std::int64_t num_seen = 0;
  for (std::int64_t before = 0; num_seen < 1000;) {
    const WorkerTimes times = clock.times(0);
    EXPECT_GE(times.busy_ns, times.idle_ns);
    EXPECT_LE(times.busy_ns, times.idle_ns + 1);
    EXPECT_GE(times.busy_ns, before);
    num_seen += times.busy_ns != before;
    before = times.busy_ns;
  }
  is_done.store(true, std::memory_order_relaxed);
  writer.join();
}

}  // namespace
}  // namespace pbrt
