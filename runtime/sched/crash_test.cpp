// SPDX-License-Identifier: MIT
// Crashes are reported, and overflows of bodies' stacks told from others, on every worker and on every kind of stack.
#include "runtime/sched/crash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

/// C++ that calls itself much too deeply.
[[gnu::noinline]] int overflow(int depth) {
  volatile char used[512];
  used[depth % 512] = static_cast<char>(depth);
  return depth > 1'000'000 ? 0 : overflow(depth + 1) + used[depth % 512];
}

void exit_if_overflow(const Crash& crash) {
  if (crash.is_stack_overflow) _exit(42);
}

class CrashDeathTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};
INSTANTIATE_TEST_SUITE_P(Workers, CrashDeathTest, testing::Values(1, 4));

TEST_P(CrashDeathTest, OverflowOfABodyIsReported) {
  EXPECT_EXIT(
      {
        on_crash(&exit_if_overflow);
        Scheduler(GetParam()).run([](Frame& root) {
          for (int i = 0; i < 50; ++i) root.spawn([i](Frame&) { (void)overflow(i); });
        });
      },
      testing::ExitedWithCode(42), "");
}

void overflow_below(Frame& parent, int calls) {
  call_on_fresh_stack_if_needed(parent, [&] {
    CallFrame frame(parent);
    volatile char used[4096];
    used[0] = 1;
    if (calls == 0) (void)overflow(0);
    overflow_below(frame, calls - 1);
    used[1] = used[0];
  });
}

TEST_P(CrashDeathTest, OverflowOnAFreshStackIsReported) {
  EXPECT_EXIT(
      {
        on_crash(&exit_if_overflow);
        Scheduler(GetParam()).run([](Frame& root) { overflow_below(root, 200); });
      },
      testing::ExitedWithCode(42), "");
}

TEST_P(CrashDeathTest, OtherFaultsGoToTheHandlerBefore) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { _exit(43); });
        on_crash(&exit_if_overflow);
        Scheduler(GetParam()).run([](Frame& root) {
          root.spawn([](Frame&) { *reinterpret_cast<volatile int*>(sysconf(_SC_PAGESIZE)) = 1; });
        });
      },
      testing::ExitedWithCode(43), "");
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { _exit(44); });
        on_crash(&exit_if_overflow);
        Scheduler(GetParam()).run([](Frame&) { (void)raise(SIGSEGV); });
      },
      testing::ExitedWithCode(44), "");
}

void exit_by_kind(const Crash& crash) {
  const bool is_null = crash.address == nullptr;
  _exit(crash.is_stack_overflow   ? 50
        : crash.signal == SIGSEGV ? (is_null ? 51 : 52)
        : crash.signal == SIGFPE  ? 53
                                  : 54);
}

void crash_in_a_task(int workers, int kind) {
  on_crash(&exit_by_kind);
  volatile int zero = 0;
  Scheduler(workers).run([&](Frame& root) {
    root.spawn([&](Frame&) {
      if (kind == 51) *reinterpret_cast<volatile int*>(static_cast<std::uintptr_t>(zero)) = 1;
      if (kind == 53) zero = 7 / zero;
      if (kind == 54) std::abort();
    });
  });
}

TEST_P(CrashDeathTest, EachKindIsReported) {
  EXPECT_EXIT(crash_in_a_task(GetParam(), 51), testing::ExitedWithCode(51), "");
#if defined(__x86_64__)
  EXPECT_EXIT(crash_in_a_task(GetParam(), 53), testing::ExitedWithCode(53), "");
#endif
  EXPECT_EXIT(crash_in_a_task(GetParam(), 54), testing::ExitedWithCode(54), "");
}

TEST_P(CrashDeathTest, SignalsOfOthersAreNotReported) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer reports signals itself, and ends with a status of its own";
#endif
  EXPECT_EXIT(
      {
        on_crash(&exit_by_kind);
        Scheduler(GetParam()).run([](Frame&) { (void)raise(SIGFPE); });
      },
      testing::KilledBySignal(SIGFPE), "");
}

}  // namespace
}  // namespace pbrt
