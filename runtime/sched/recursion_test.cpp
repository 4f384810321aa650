// SPDX-License-Identifier: MIT
#include "runtime/sched/recursion.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

/// Calls itself while `next` gives another (size, number) and counts how deep it came.
struct Recursion {
  bool (*next)(std::int64_t& size, double& number);
  int num_extents = 1;
  bool may_repeat = false;
  int depth = 0;

  void call(Frame& parent, std::int64_t size, double number) {
    call_on_fresh_stack_if_needed(parent, [&] {
      const RecursiveCall record(parent, 3, &size, num_extents, &number, 1);
      CallFrame frame(parent, 1000);
      record.enter(frame);
      if (may_repeat) RecursiveCall::may_repeat(frame);
      ++depth;
      std::int64_t inner = size;
      double inner_number = number;
      if (!next(inner, inner_number)) return;
      frame.spawn([this, inner, inner_number](Frame& child) { call(child, inner, inner_number); });
      frame.sync();
    });
  }
};

void run(Recursion& recursion, std::int64_t size, double number) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& root) { recursion.call(root, size, number); });
}

TEST(Recursion, StopsAtTheSameArguments) {
  Recursion recursion{[](std::int64_t& size, double&) {
    size -= size > 5 ? 1 : 0;
    return true;
  }};
  EXPECT_THROW(run(recursion, 10, 0), RunAborted);
  EXPECT_EQ(recursion.depth, 6);
}

TEST(Recursion, GoesOnWhileSizesShrinkOrNumbersChange) {
  Recursion shrinking{[](std::int64_t& size, double&) { return --size > 0; }};
  run(shrinking, 1000, 0);
  EXPECT_EQ(shrinking.depth, 1000);
  Recursion counting{[](std::int64_t&, double& number) { return --number > 0; }};
  run(counting, 10, 1000);
  EXPECT_EQ(counting.depth, 1000);
}

TEST(Recursion, GoesOnWhileContentsMayChange) {
  Recursion ending{[](std::int64_t&, double&) {
                     static int left = 1000;
                     return --left > 0;
                   },
                   1, true};
  run(ending, 10, 0);
  EXPECT_EQ(ending.depth, 1000);
  Recursion endless{[](std::int64_t&, double&) { return true; }, 1, true};
  EXPECT_THROW(run(endless, 10, 0), RunAborted);
  EXPECT_EQ(endless.depth, kMaxRepeatedCalls + 1);
}

TEST(Recursion, CountsOnlyCallsThatRepeatArguments) {
  // The number counts down from far above the limit for repeated calls; then a few calls repeat it.
  Recursion recursion{[](std::int64_t&, double& number) {
                        static int left = 10;
                        number -= number > 0 ? 1 : 0;
                        return number > 0 || --left > 0;
                      },
                      1, true};
  run(recursion, 10, 2.0 * kMaxRepeatedCalls);
  EXPECT_GT(recursion.depth, 2 * kMaxRepeatedCalls);
}

TEST(Recursion, WithoutSizesEndsByDepth) {
  Recursion recursion{[](std::int64_t&, double&) { return true; }, 0};
  EXPECT_THROW(run(recursion, 10, 0), RunAborted);
  EXPECT_EQ(recursion.depth, kMaxCallsWithoutShrinking + 1);
}

/// Calls of `transforms` in turn inside of each other, each `shrink` smaller; returns how many there were before it
/// stopped.
int depth_of_rounds(std::initializer_list<int> transforms, std::int64_t size, std::int64_t shrink) {
  Scheduler scheduler(2);
  int depth = 0;
  const std::vector<int> round(transforms);
  const auto call = [&](const auto& self, Frame& parent, std::int64_t extent) -> void {
    const int transform = round[static_cast<std::size_t>(depth) % round.size()];
    const RecursiveCall record(parent, transform, &extent, 1, nullptr, 0);
    CallFrame frame(parent, 1000);
    record.enter(frame);
    if (++depth < 500 && extent > shrink) self(self, frame, extent - shrink);
  };
  try {
    scheduler.run([&](Frame& root) { call(call, root, size); });
  } catch (const RunAborted&) {
  }
  return depth;
}

TEST(Recursion, StopsRoundsOfSeveralTransforms) {
  EXPECT_EQ(depth_of_rounds({1, 2}, 8, 0), 2);
  EXPECT_EQ(depth_of_rounds({1, 2, 3, 4}, 8, 0), 4);
  EXPECT_EQ(depth_of_rounds({1, 65, 129}, 8, 0), 3) << "numbers that differ by 64 are told apart";
  EXPECT_EQ(depth_of_rounds({1, 2, 65}, 300, 1), 300);
}

TEST(Recursion, CallsBesideEachOtherAreNoRounds) {
  Scheduler scheduler(2);
  std::int64_t size = 7;
  EXPECT_NO_THROW(scheduler.run([&](Frame& root) {
    for (int i = 0; i < 3; ++i) {
      const RecursiveCall record(root, 3, &size, 1, nullptr, 0);
      CallFrame frame(root, 1000);
      record.enter(frame);
    }
  }));
}

}  // namespace
}  // namespace pbrt
