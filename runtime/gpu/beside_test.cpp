// SPDX-License-Identifier: MIT
// Copies beside kernels: which copies leave the device's queue, what waits for them, and what follows from a failed
// one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A fake device of which copies of any size may go beside kernels.
class Beside : public ::testing::Test {
 protected:
  void SetUp() override { fake.control->set_min_bytes_beside(1); }

  template <class F>
  void on_workers(F&& body) {
    Scheduler scheduler(2);
    scheduler.run([&](Frame& frame) { body(frame); });
  }
  /// Waits until the device has ended this many operations.
  void await_ends(std::size_t count) {
    while (fake.control->log().size() < count) std::this_thread::yield();
  }

  FakeManager fake;
};

TEST_F(Beside, InputsAreCopiedWhileAKernelRuns) {
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 5), d = filled(8, 4, 0);
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::May), "");
    // This call returns once the kernel is enqueued, and the kernel waits for its input.
    EXPECT_EQ(fake.add_step(frame, d, c, 1, CopyOut::May), "");
    EXPECT_THAT(fake.control->log(), ElementsAre("write beside"));
    fake.control->release();
    need_on_host(frame, b);
    need_on_host(frame, d);
    EXPECT_TRUE(is_filled(b, 2));
    EXPECT_TRUE(is_filled(d, 6));
  });
}

TEST_F(Beside, ResultsAreReadBackWhileALaterKernelReadsThem) {
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 0);
    fake.control->hold_beside();
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Eager), "");
    EXPECT_EQ(fake.add_step(frame, c, b, 1, CopyOut::May), "");
    await_ends(3);
    EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step", "launch add_step"));
    fake.control->release();
    need_on_host(frame, b);
    need_on_host(frame, c);
    EXPECT_TRUE(is_filled(b, 2));
    EXPECT_TRUE(is_filled(c, 3));
  });
  EXPECT_GE(fake.manager->statistics().copies_beside, 1);
}

TEST_F(Beside, ResultsOfTheRunAreReadBackWhileALaterKernelRuns) {
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Result), "");
    await_ends(2);
    EXPECT_EQ(fake.add_step(frame, c, b, 1, CopyOut::Result), "");
    fake.manager->drain(frame);
    EXPECT_TRUE(is_filled(b, 2)) << "nobody asked for it";
    EXPECT_TRUE(is_filled(c, 3));
  });
}

TEST_F(Beside, ShortResultsOfTheRunStayPending) {
  fake.control->set_min_bytes_beside(8 * 4 * sizeof(int) + 1);
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Result), "");
    fake.manager->drain(frame);
    EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step"));
    need_on_host(frame, b);
    EXPECT_TRUE(is_filled(b, 2));
  });
}

TEST_F(Beside, WhatIsAskedForIsCopiedOnceItsKernelHasEnded) {
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 5), d = filled(8, 4, 0);
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::May), "");
    EXPECT_EQ(fake.add_step(frame, d, c, 1, CopyOut::May), "");
    fetch(frame, b);
    fake.control->release();
    need_on_host(frame, b);
    EXPECT_TRUE(is_filled(b, 2));
  });
  EXPECT_EQ(fake.manager->statistics().copies_to_host, 1);
}

TEST_F(Beside, AKernelDoesNotOverwriteWhatIsBeingReadBack) {
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0);
    fake.control->hold_beside();
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Eager), "");
    // Launches that come before the copy is enqueued would go first: the copy would leave their cells to later ones.
    fake.control->await_enqueued(3);
    frame.spawn([&](Frame& f) {
      EXPECT_EQ(fake.add_step(f, b.region(0, 2, 8, 3), a.region(0, 2, 8, 3), 7, CopyOut::May), "");
    });
    frame.spawn([&](Frame& f) {
      EXPECT_EQ(fake.add_step(f, b.region(0, 3, 8, 4), a.region(0, 3, 8, 4), 7, CopyOut::May), "");
    });
    frame.spawn([&](Frame&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(fake.control->log().size(), 2U) << "the kernels wait for the copy";
      fake.control->release();
    });
    frame.sync();
    need_on_host(frame, b);
    EXPECT_TRUE(is_filled(b.region(0, 0, 8, 2), 2));
    EXPECT_TRUE(is_filled(b.region(0, 2, 8, 4), 8));
  });
}

TEST_F(Beside, AnInputWhoseFormerStateAKernelStillReadsStaysInTheQueue) {
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, b, a, 0, CopyOut::Must), "");
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::May), "");
    before_host_overwrite(frame, a);
    for (int x = 0; x < 8; ++x)
      for (int y = 0; y < 4; ++y) a.cell(x, y) = 4;
    wrote_on_host(a);
    EXPECT_EQ(fake.add_step(frame, c, a, 1, CopyOut::May), "");
    EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step", "read"));
    fake.control->release();
    need_on_host(frame, b);
    need_on_host(frame, c);
    EXPECT_TRUE(is_filled(b, 2));
    EXPECT_TRUE(is_filled(c, 5));
  });
}

TEST_F(Beside, ShortCopiesStayInTheQueue) {
  fake.control->set_min_bytes_beside(8 * 4 * sizeof(int) + 1);
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 5), d = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Eager), "");
    EXPECT_EQ(fake.add_step(frame, d, c, 1, CopyOut::Eager), "");
    fake.manager->drain(frame);
    EXPECT_TRUE(is_filled(b, 2));
    EXPECT_TRUE(is_filled(d, 6));
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step", "read", "write", "launch add_step", "read"));
}

TEST_F(Beside, AnInputThatFailsLeavesTheWorkToTheHost) {
  fake.control->inject(FakeOperation::Write, 1, FakeFault::FailLater);
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 5), d = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Must), "");
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, b, a, 2, CopyOut::May), "");
    EXPECT_THAT(fake.add_step(frame, d, c, 1, CopyOut::May), HasSubstr("the device failed"));
    need_on_host(frame, d);
    need_on_host(frame, c);
  });
  EXPECT_THAT(fake.control->log()[3], "write beside");
}

TEST_F(Beside, AReadBackThatFailsLosesItsResultLoudly) {
  fake.control->inject(FakeOperation::Read, 0, FakeFault::FailLater);
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Eager), "");
    EXPECT_THROW(need_on_host(frame, b), DeviceLost);
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step", "read beside"));
}

TEST_F(Beside, AReadBackThatTheDeviceDoesNotTakeLeavesTheWorkToTheHost) {
  fake.control->inject(FakeOperation::Read, 0, FakeFault::Fail);
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0), c = filled(8, 4, 0);
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::May), "");
    frame.spawn(
        [&](Frame& f) { EXPECT_THAT(fake.add_step(f, c, a, 1, CopyOut::Must), HasSubstr("the device failed")); });
    frame.spawn([&](Frame&) {
      fake.control->await_enqueued(3);
      fake.control->release();
    });
    frame.sync();
    EXPECT_THROW(need_on_host(frame, b), DeviceLost);
  });
}

TEST_F(Beside, AKernelThatFailsIsNotReadBack) {
  fake.control->inject(FakeOperation::Launch, 0, FakeFault::FailLater);
  on_workers([&](Frame& frame) {
    const Matrix2 a = filled(8, 4, 1), b = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Eager), "");
    EXPECT_THROW(need_on_host(frame, b), DeviceLost);
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step"));
}

}  // namespace
}  // namespace pbrt::gpu
