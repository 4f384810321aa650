// SPDX-License-Identifier: MIT
// Memoized calls: what counts as the same call, and that stored results are copies.
#include "runtime/main/program/memo.h"

#include <gtest/gtest.h>

#include <atomic>

#include "runtime/config/errors.h"
#include "runtime/gpu/testing/fake_fixture.h"
#include "runtime/main/program/run_context.h"
#include "runtime/matrix/region_handle.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

using Vector = MatrixRegion<double, 1>;

class Memo : public ::testing::Test {
 protected:
  Memo() : a(Vector::allocate(4)), b(Vector::allocate(4)) {
    for (int i = 0; i < 4; ++i) a.cell(i) = i;
  }

  /// A memoized transform that doubles `in`; `in_place` adds what `out` holds.
  void twice(Frame& frame, const Vector& out, const Vector& in, bool in_place = false) {
    MemoCall memo(frame, 7);
    memo.output(out, in_place);
    memo.input(in);
    if (memo.find()) return;
    ++num_runs;
    for (int i = 0; i < in.size(0); ++i) out.cell(i) = 2 * in.cell(i) + (in_place ? out.cell(i) : 0);
    memo.store();
  }

  template <class Body>
  void run(Body body) {
    RunState state;
    RunContext context({}, 0, nullptr);
    state.context = &context;
    scheduler.run(state, [&](Frame& root) { body(root); });
  }

  Scheduler scheduler{2};
  Vector a, b;
  std::atomic<int> num_runs{0};
};

TEST_F(Memo, TakesTheResultsOfTheCallBefore) {
  run([&](Frame& frame) {
    twice(frame, b, a);
    const Vector c = Vector::allocate(4);
    twice(frame, c, a);
    EXPECT_EQ(c.cell(3), 6);
  });
  EXPECT_EQ(num_runs, 1);
}

TEST_F(Memo, KeepsCopies) {
  run([&](Frame& frame) {
    twice(frame, b, a);
    b.cell(3) = 99;
    twice(frame, b, a);
    EXPECT_EQ(b.cell(3), 6);
    a.cell(3) = 5;
    twice(frame, b, a);
    EXPECT_EQ(b.cell(3), 10);
  });
  EXPECT_EQ(num_runs, 2);
}

TEST_F(Memo, KeepsOnlyTheLastCall) {
  const Vector other = Vector::allocate(4);
  for (int i = 0; i < 4; ++i) other.cell(i) = -i;
  run([&](Frame& frame) {
    twice(frame, b, a);
    twice(frame, b, other);
    twice(frame, b, a);
  });
  EXPECT_EQ(num_runs, 3);
}

TEST_F(Memo, SkipsPartsOfMatrices) {
  run([&](Frame& frame) {
    twice(frame, b.region(0, 2), a.region(0, 2));
    twice(frame, b.region(0, 2), a.region(0, 2));
  });
  EXPECT_EQ(num_runs, 2);
}

TEST_F(Memo, TellsSizesOfOutputsApart) {
  const Vector wide = Vector::allocate(5);
  run([&](Frame& frame) {
    twice(frame, b, a);
    twice(frame, wide, a);
  });
  EXPECT_EQ(num_runs, 2);
}

TEST_F(Memo, ReadsOutputsThatHaveASay) {
  for (int i = 0; i < 4; ++i) b.cell(i) = 1;
  run([&](Frame& frame) {
    twice(frame, b, a, true);
    EXPECT_EQ(b.cell(3), 7);
    twice(frame, b, a, true);
    EXPECT_EQ(b.cell(3), 13);
  });
  EXPECT_EQ(num_runs, 2);
}

TEST_F(Memo, StartsEmptyInEveryRun) {
  for (int i = 0; i < 2; ++i) run([&](Frame& frame) { twice(frame, b, a); });
  EXPECT_EQ(num_runs, 2);
}

TEST_F(Memo, MayBeCalledFromManyTasks) {
  run([&](Frame& frame) {
    for (int i = 0; i < 100; ++i) {
      frame.spawn([&, i](Frame& child) {
        const Vector in = Vector::allocate(4);
        const Vector out = Vector::allocate(4);
        for (int k = 0; k < 4; ++k) in.cell(k) = i % 3;
        twice(child, out, in);
        EXPECT_EQ(out.cell(2), 2 * (i % 3));
      });
    }
    frame.sync();
  });
}

TEST(TemplateInstance, CountsTheFirstArgumentFastest) {
  EXPECT_EQ(template_instance("T", {{"A", 2, 1, 3}, {"B", -1, -2, 0}}), 4);
  EXPECT_THROW((void)template_instance("T", {{"A", 4, 1, 3}}), UserError);
  EXPECT_THROW((void)template_instance("T", {{"A", 0, 1, 3}}), UserError);
}

TEST_F(Memo, ResultsAreAnnounced) {
  gpu::FakeManager fake;
  run([&](Frame& frame) {
    const gpu::Matrix2 in = gpu::filled(8, 1, 1), other = gpu::filled(8, 1, 5), out = gpu::filled(8, 1, 0),
                       sum = gpu::filled(8, 1, 0);
    const auto set = [&](const gpu::Matrix2& from) {
      for (int x = 0; x < 8; ++x) out.cell(x, 0) = from.cell(x, 0);
    };
    const auto expect_on_device = [&](int value) {
      EXPECT_EQ(fake.add_step(frame, sum, out, 1, gpu::CopyOut::May), "");
      need_on_host(frame, sum);
      EXPECT_EQ(sum.cell(0, 0), value + 1);
    };
    // The second call and the third give the result of the first one, where the device has a copy of what was there.
    for (int i = 0; i < 3; ++i) {
      MemoCall memo(frame, 8);
      memo.output(out, false);
      memo.input(in);
      if (!memo.find()) {
        set(in);
        memo.store();
      }
      expect_on_device(1);
      before_host_write(frame, out);
      set(other);
      wrote_on_host(out);
      expect_on_device(5);
    }
  });
}

}  // namespace
}  // namespace pbrt
