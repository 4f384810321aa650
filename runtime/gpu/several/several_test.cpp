// SPDX-License-Identifier: MIT
// Storages on two fake devices at once: what each has, and what moves between them.
#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

constexpr int kWidth = 8, kHeight = 4;
constexpr std::int64_t kBytes = kWidth * kHeight * sizeof(int);

Matrix2 numbers(int value) { return filled(kWidth, kHeight, value); }

std::int64_t bytes_to_device(const FakeManager& fake) { return fake.manager->statistics().bytes_to_device; }
std::int64_t bytes_to_host(const FakeManager& fake) { return fake.manager->statistics().bytes_to_host; }

class Several : public ::testing::Test {
 protected:
  template <class F>
  static void on_workers(F&& body) {
    Scheduler scheduler(2);
    scheduler.run([&](Frame& frame) { body(frame); });
  }

  FakeManager one, two;
};

TEST_F(Several, DevicesHaveAnInputAtOnce) {
  on_workers([&](Frame& frame) {
    const Matrix2 in = numbers(1), a = numbers(0), b = numbers(0);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(one.add_step(frame, a, in, 1, CopyOut::May), "");
      EXPECT_EQ(two.add_step(frame, b, in, 2, CopyOut::May), "");
    }
    EXPECT_EQ(bytes_to_device(one), kBytes);
    EXPECT_EQ(bytes_to_device(two), kBytes);
    need_on_host(frame, a, b);
    EXPECT_TRUE(is_filled(a, 2));
    EXPECT_TRUE(is_filled(b, 3));
  });
}

TEST_F(Several, WhatTheHostWritesIsStaleOnAll) {
  on_workers([&](Frame& frame) {
    const Matrix2 in = numbers(1), a = numbers(0), b = numbers(0);
    for (int round = 1; round <= 2; ++round) {
      EXPECT_EQ(one.add_step(frame, a, in, round, CopyOut::May), "");
      EXPECT_EQ(two.add_step(frame, b, in, round, CopyOut::May), "");
      const Matrix2 row = in.region(0, 1, kWidth, 2);
      before_host_write(frame, row);
      for (int x = 0; x < kWidth; ++x) row.cell(x, 0) = 5;
      wrote_on_host(row);
    }
    EXPECT_EQ(one.add_step(frame, a, in, 1, CopyOut::May), "");
    EXPECT_EQ(two.add_step(frame, b, in, 1, CopyOut::May), "");
    need_on_host(frame, a, b);
    EXPECT_TRUE(is_filled(a.region(0, 1, kWidth, 2), 6));
    EXPECT_TRUE(is_filled(b.region(0, 1, kWidth, 2), 6));
    EXPECT_TRUE(is_filled(a.region(0, 2, kWidth, kHeight), 2));
    EXPECT_EQ(bytes_to_device(one), kBytes + 2 * kBytes / kHeight) << "only the row moved again";
    EXPECT_EQ(bytes_to_device(two), kBytes + 2 * kBytes / kHeight);
  });
}

TEST_F(Several, WhatOneWritesIsStaleOnTheOther) {
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1), out = numbers(0);
    EXPECT_EQ(two.add_step(frame, out, m, 0, CopyOut::May), "");  // both have m
    EXPECT_EQ(one.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_EQ(two.add_step(frame, out, m, 0, CopyOut::May), "");
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 2));
    EXPECT_EQ(bytes_to_host(one), kBytes) << "it went through the host";
    EXPECT_EQ(bytes_to_device(two), 2 * kBytes);
    EXPECT_EQ(one.add_step(frame, out, m, 5, CopyOut::May), "");
    EXPECT_EQ(bytes_to_device(one), kBytes) << "it still has what it wrote";
  });
}

TEST_F(Several, OneMatrixMayBeNewerInPartOnEach) {
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1), lower = m.region(0, 0, kWidth, 2), upper = m.region(0, 2, kWidth, 4);
    EXPECT_EQ(one.increment(frame, lower, 1, CopyOut::May), "");
    EXPECT_EQ(two.increment(frame, upper, 2, CopyOut::May), "");
    EXPECT_EQ(bytes_to_device(one) + bytes_to_device(two), kBytes) << "each has its part";
    EXPECT_TRUE(is_newer_on_device(lower));
    EXPECT_TRUE(is_newer_on_device(upper));
    need_on_host(frame, m);
    EXPECT_TRUE(is_filled(lower, 2));
    EXPECT_TRUE(is_filled(upper, 3));
    EXPECT_FALSE(is_newer_on_device(m));
  });
}

TEST_F(Several, AHostThatOverwritesWaitsForAllAndCopiesNothing) {
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1);
    EXPECT_EQ(one.increment(frame, m.region(0, 0, kWidth, 2), 1, CopyOut::May), "");
    EXPECT_EQ(two.increment(frame, m.region(0, 2, kWidth, 4), 2, CopyOut::May), "");
    before_host_overwrite(frame, m);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) m.cell(x, y) = 7;
    wrote_on_host(m);
    EXPECT_EQ(bytes_to_host(one) + bytes_to_host(two), 0);
    EXPECT_EQ(two.increment(frame, m, 1, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(m, 8));
  });
}

TEST_F(Several, DevicesThatWantEachOthersDataGetIt) {
  for (int round = 0; round < 20; ++round) {
    on_workers([&](Frame& frame) {
      const Matrix2 a = numbers(1), b = numbers(10), c = numbers(0), d = numbers(0);
      EXPECT_EQ(one.increment(frame, a, 1, CopyOut::May), "");
      EXPECT_EQ(two.increment(frame, b, 1, CopyOut::May), "");
      one.control->hold();
      two.control->hold();
      CallFrame both(frame);
      both.spawn([&](Frame& task) { EXPECT_EQ(one.add_step(task, c, b, 1, CopyOut::May), ""); });
      both.spawn([&](Frame& task) { EXPECT_EQ(two.add_step(task, d, a, 1, CopyOut::May), ""); });
      one.control->release();
      two.control->release();
      both.sync();
      need_on_host(frame, c, d);
      EXPECT_TRUE(is_filled(c, 12));
      EXPECT_TRUE(is_filled(d, 3));
    });
  }
}

TEST_F(Several, AHostsMemoryIsNotWrittenWhileAnotherDeviceReadsIt) {
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1), out = numbers(0);
    two.control->hold();
    EXPECT_EQ(two.add_step(frame, out, m, 1, CopyOut::May), "");  // reads m from the host once it is let go
    EXPECT_EQ(one.increment(frame, m, 5, CopyOut::Eager), "");    // and writes it back
    one.manager->drain(frame);
    two.control->release();
    need_on_host(frame, out, m);
    EXPECT_TRUE(is_filled(out, 2));
    EXPECT_TRUE(is_filled(m, 6));
  });
}

TEST_F(Several, SharedMemoryIsNotUsedByTwoAtOnce) {
  DeviceInfo info = fake_device_info();
  info.shares_host_memory = true;
  FakeManager here(info), there(info);
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1);
    here.control->set_max_delay_us(50);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(here.increment(frame, m, 1, CopyOut::May), "");
      EXPECT_EQ(there.increment(frame, m, 2, CopyOut::May), "");
      EXPECT_EQ(one.increment(frame, m, 3, CopyOut::May), "");
    }
    need_on_host(frame, m);
    EXPECT_TRUE(is_filled(m, 61));
    EXPECT_EQ(bytes_to_device(here) + bytes_to_host(here) + bytes_to_device(there), 0);
  });
}

TEST_F(Several, ABufferThatOneEvictsStaysOnTheOther) {
  FakeManager small(fake_device_info(), 2 * kBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 in = numbers(1), a = numbers(0), b = numbers(0);
    EXPECT_EQ(one.add_step(frame, a, in, 1, CopyOut::Must), "");
    EXPECT_EQ(small.add_step(frame, b, in, 1, CopyOut::Must), "");
    const Matrix2 other = numbers(3);
    EXPECT_EQ(small.add_step(frame, b, other, 1, CopyOut::Must), "");
    EXPECT_EQ(small.manager->statistics().evictions, 1);
    EXPECT_EQ(one.add_step(frame, a, in, 2, CopyOut::Must), "");
    EXPECT_EQ(bytes_to_device(one), kBytes) << "it kept the input";
    EXPECT_EQ(small.add_step(frame, b, in, 2, CopyOut::Must), "");
    EXPECT_EQ(bytes_to_device(small), 3 * kBytes);
    EXPECT_TRUE(is_filled(b, 3));
  });
}

TEST_F(Several, WhatIsNewerWhereMemoryIsShortComesOverAfterItsEviction) {
  FakeManager small(fake_device_info(), 2 * kBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1), a = numbers(0), b = numbers(4), out = numbers(0);
    EXPECT_EQ(small.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_EQ(small.add_step(frame, a, b, 1, CopyOut::May), "");  // evicts m
    EXPECT_EQ(two.add_step(frame, out, m, 1, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(out, 3));
    EXPECT_EQ(bytes_to_host(small), kBytes);
  });
}

TEST_F(Several, DroppedCopiesAreThoseOfOneDevice) {
  on_workers([&](Frame& frame) {
    const Matrix2 in = numbers(1), a = numbers(0);
    EXPECT_TRUE(one.manager->prefetch(frame, in));
    EXPECT_TRUE(two.manager->prefetch(frame, in));
    one.manager->drop_device_copies(frame, in.storage_ref().get());
    EXPECT_EQ(two.add_step(frame, a, in, 1, CopyOut::Must), "");
    EXPECT_EQ(bytes_to_device(two), kBytes);
    EXPECT_EQ(one.add_step(frame, a, in, 1, CopyOut::Must), "");
    EXPECT_EQ(bytes_to_device(one), 2 * kBytes);
  });
}

TEST_F(Several, WhatAFailedDeviceHadIsLostForTheOther) {
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1), out = numbers(0);
    EXPECT_EQ(one.increment(frame, m, 1, CopyOut::May), "");
    one.control->inject(FakeOperation::Read, 0, FakeFault::FailLater);
    EXPECT_THROW((void)two.add_step(frame, out, m, 1, CopyOut::Must), DeviceLost);
    EXPECT_FALSE(one.manager->is_alive());
    const Matrix2 fresh = numbers(2);
    EXPECT_EQ(two.add_step(frame, out, fresh, 1, CopyOut::Must), "") << "the other goes on";
    EXPECT_TRUE(is_filled(out, 3));
  });
}

TEST_F(Several, AManagerThatEndsLeavesWhatItHadToTheOthers) {
  on_workers([&](Frame& frame) {
    const Matrix2 m = numbers(1), out = numbers(0);
    EXPECT_EQ(one.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_EQ(two.add_step(frame, out, m, 1, CopyOut::May), "");
    EXPECT_EQ(one.increment(frame, m, 1, CopyOut::May), "");
    one.manager.reset();
    EXPECT_EQ(two.add_step(frame, out, m, 1, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(out, 4));
  });
}

}  // namespace
}  // namespace pbrt::gpu
