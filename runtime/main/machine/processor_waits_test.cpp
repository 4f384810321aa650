// SPDX-License-Identifier: MIT
#include "runtime/main/machine/processor_waits.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "runtime/config/machine.h"

namespace pbrt {
namespace {

using Clock = std::chrono::steady_clock;

TEST(ProcessorWaits, OneThreadLosesWhatItWaited) {
  EXPECT_EQ(waited_ns(10'000, 4'000, 6'000, 2), 6'000);
  EXPECT_EQ(waited_ns(10'000, 10'000, 0, 2), 0);
}

TEST(ProcessorWaits, SeveralThreadsLoseTheirAverage) {
  // Two threads were ready all the time, and each waited a quarter of it.
  EXPECT_EQ(waited_ns(10'000, 15'000, 5'000, 2), 2'500);
}

TEST(ProcessorWaits, SleepIsNoReasonToShare) {
  // One thread ran for a tenth of the time, waited for a tenth and slept.
  EXPECT_EQ(waited_ns(10'000, 1'000, 1'000, 4), 1'000);
}

TEST(ProcessorWaits, ThreadsThatWaitForEachOtherAreToBlame) { EXPECT_EQ(waited_ns(10'000, 20'000, 20'000, 2), 0); }

TEST(ProcessorWaits, NeverMoreThanTheRun) { EXPECT_EQ(waited_ns(10'000, 0, 50'000, 8), 10'000); }

/// Another thread on the same processor, which began to wait before `begin` knew of it, takes half of the time.
TEST(ProcessorWaits, SeesACompetitorOnTheSameProcessor) {
  if (!std::filesystem::exists("/proc/thread-self/schedstat") || available_cpus() < 2)
    GTEST_SKIP() << "the kernel does not say";
  cpu_set_t before;
  CPU_ZERO(&before);
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before)) ++cpu;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  const auto spin = [&] {
    (void)::sched_setaffinity(0, sizeof one, &one);
    const auto end = Clock::now() + std::chrono::milliseconds(60);
    while (Clock::now() < end) {
    }
  };
  ProcessorWaits waits;
  waits.find_threads();
  waits.begin();
  std::thread other(spin);
  const auto begin = Clock::now();
  spin();
  const double total = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  const double waited = static_cast<double>(waits.end());
  other.join();
  (void)::sched_setaffinity(0, sizeof before, &before);
  EXPECT_GT(waited, 0.2 * total);
  EXPECT_LE(waited, total * 1.01);
}

}  // namespace
}  // namespace pbrt
