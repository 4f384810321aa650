// SPDX-License-Identifier: MIT
// Overflows of bodies' stacks are told from other faults, on every worker and on every kind of stack.
#include "runtime/sched/overflow.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

/// C++ that calls itself much too deeply.
[[gnu::noinline]] int overflow(int depth) {
  volatile char used[512];
  used[depth % 512] = static_cast<char>(depth);
  return depth > 1'000'000 ? 0 : overflow(depth + 1) + used[depth % 512];
}

void report_and_exit() { _exit(42); }

class OverflowDeathTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};
INSTANTIATE_TEST_SUITE_P(Workers, OverflowDeathTest, testing::Values(1, 4));

TEST_P(OverflowDeathTest, OfABodyIsReported) {
  EXPECT_EXIT(
      {
        on_stack_overflow(&report_and_exit);
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

TEST_P(OverflowDeathTest, OnAFreshStackIsReported) {
  EXPECT_EXIT(
      {
        on_stack_overflow(&report_and_exit);
        Scheduler(GetParam()).run([](Frame& root) { overflow_below(root, 200); });
      },
      testing::ExitedWithCode(42), "");
}

TEST_P(OverflowDeathTest, OtherFaultsGoToTheHandlerBefore) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { _exit(43); });
        on_stack_overflow(&report_and_exit);
        Scheduler(GetParam()).run([](Frame& root) {
          root.spawn([](Frame&) { *reinterpret_cast<volatile int*>(sysconf(_SC_PAGESIZE)) = 1; });
        });
      },
      testing::ExitedWithCode(43), "");
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { _exit(44); });
        on_stack_overflow(&report_and_exit);
        Scheduler(GetParam()).run([](Frame&) { (void)raise(SIGSEGV); });
      },
      testing::ExitedWithCode(44), "");
}

}  // namespace
}  // namespace pbrt
