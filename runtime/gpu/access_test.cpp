// SPDX-License-Identifier: MIT
// Which accesses of the host the watch accepts, on the fake device. It decides only by program order, whatever the
// device has done.
#define PB_CHECKED_COPIES 1
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "runtime/config/copy_error.h"
#include "runtime/gpu/storage_record.h"
#include "runtime/gpu/testing/fake_fixture.h"
#include "runtime/matrix/access_watch.h"
#include "runtime/matrix/simd.h"

namespace pbrt::gpu {
namespace {

template <class F>
std::string error_of(const F& body) {
  try {
    body();
  } catch (const CopyError& error) {
    return error.what();
  }
  return {};
}

class Access : public ::testing::Test {
 protected:
  Access() { watch_accesses(true); }
  ~Access() override { watch_accesses(false); }

  template <class F>
  void run(const F& body) {
    Scheduler scheduler(2);
    scheduler.run([&](Frame& frame) { body(frame); });
  }
  /// out = in + 5 on the device, which has ended when this returns.
  void add(Frame& frame, const Matrix2& out, const Matrix2& in, CopyOut copy_out = CopyOut::May) {
    EXPECT_EQ(fake.add_step(frame, out, in, 5, copy_out), "");
    fake.manager->drain(frame);
  }

  FakeManager fake;
};

// Under ThreadSanitizer: a record that a second thread makes in vain must not leave a shadow that accesses use.
TEST_F(Access, TheRecordIsMadeOnce) {
  for (int i = 0; i < 200; ++i) {
    const Matrix2 m = filled(8, 4, 1);
    Storage& storage = *m.storage_ref().get();
    StorageRecord* found[2] = {};
    std::thread other([&] { found[0] = &StorageRecord::of(storage, 4); });
    found[1] = &StorageRecord::of(storage, 4);
    EXPECT_EQ(m.cell(3, 2), 1);
    other.join();
    EXPECT_EQ(found[0], found[1]);
  }
}

TEST_F(Access, WhatADeviceWroteIsStaleUntilItIsAskedFor) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    add(frame, out, in);
    const std::string error = error_of([&] { (void)out.cell(3, 2); });
    EXPECT_NE(error.find("cell (3, 2)"), std::string::npos) << error;
    EXPECT_NE(error.find("[0, 8) x [0, 4)"), std::string::npos) << error;
    need_on_host(frame, out.region(0, 2, 8, 3));
    EXPECT_EQ(out.cell(3, 2), 6);
    EXPECT_NE(error_of([&] { (void)out.cell(3, 1); }), "");
    need_on_host(frame, out);
    EXPECT_EQ(out.cell(3, 1), 6);
    EXPECT_EQ(in.cell(3, 1), 1) << "what a device reads may be read";
  });
}

TEST_F(Access, DataThatHappensToBeThereIsStaleNevertheless) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    add(frame, out, in, CopyOut::Must);
    EXPECT_NE(error_of([&] { (void)out.cell(0, 0); }), "");
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 6));
  });
}

TEST_F(Access, PointersLanesAndNumbersAreLookedAt) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(32, 1, 1), out = filled(32, 1, 0);
    EXPECT_EQ(fake.add_step(frame, out.region(16, 0, 17, 1), in.region(0, 0, 1, 1), 5, CopyOut::May), "");
    EXPECT_NE(error_of([&] { (void)out.base(); }), "");
    EXPECT_NE(error_of([&] { (void)out.storage(); }), "");
    EXPECT_NE(error_of([&] { (void)out.hash(); }), "");
    EXPECT_EQ(error_of([&] { (void)out.region(0, 0, 16, 1).base(); }), "");
    using Narrow = simd::Shapes<int>::Narrow;
    const auto view = out.row(0).unit_view();
    const auto lanes = simd::lanes<Narrow, 1, -1>(view);
    EXPECT_EQ(error_of([&] { (void)lanes.cell(0); }), "");
    EXPECT_NE(error_of([&] { (void)lanes.cell(16 - Narrow::kWidth + 1); }), "") << "its last lane";
    EXPECT_NE(error_of([&] { lanes.store({}, 16); }), "");
    need_on_host(frame, out);
    EXPECT_EQ(error_of([&] { (void)lanes.cell(16); }), "");
  });
}

TEST_F(Access, AWriteThatNobodyAnnouncedIsFoundByTheNextLaunch) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    add(frame, out, in);
    before_host_write(frame, in);
    in.cell(2, 1) = 7;
    const std::string error = error_of([&] { (void)fake.add_step(frame, out, in, 5, CopyOut::May); });
    EXPECT_NE(error.find("(2, 1)"), std::string::npos) << error;
    EXPECT_EQ(
        error_of([&] { (void)fake.add_step(frame, out.region(0, 2, 8, 4), in.region(0, 2, 8, 4), 5, CopyOut::May); }),
        "")
        << "other cells";
    wrote_on_host(frame, in);
    EXPECT_EQ(error_of([&] { (void)fake.add_step(frame, out, in, 5, CopyOut::May); }), "");
    need_on_host(frame, out);
    EXPECT_EQ(out.cell(2, 1), 12);
  });
}

TEST_F(Access, AWriteBeforeTheDeviceIsDoneIsFoundByTheNextAnnouncement) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    add(frame, out, in);
    in.base()[9] = 7;
    EXPECT_NE(error_of([&] { wrote_on_host(frame, in); }), "");
    EXPECT_NE(error_of([&] { before_host_write(frame, in); }), "");
  });
}

TEST_F(Access, WhatIsOverwrittenNeedsNoCopy) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    add(frame, out, in);
    before_host_overwrite(frame, out.region(0, 0, 8, 2));
    out.cell(0, 1) = 3;
    EXPECT_NE(error_of([&] { out.cell(0, 2) = 3; }), "");
    wrote_on_host(frame, out.region(0, 0, 8, 2));
    need_on_host(frame, out);
    EXPECT_EQ(out.cell(0, 1), 3);
    EXPECT_EQ(out.cell(0, 2), 6);
  });
}

TEST_F(Access, WhatADeviceWritesBesideIsNotVoidedByAnAnnouncement) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    before_host_write(frame, out);
    add(frame, out.region(0, 0, 8, 2), in.region(0, 0, 8, 2));
    out.cell(0, 3) = 3;
    wrote_on_host(frame, out);
    EXPECT_NE(error_of([&] { (void)out.cell(0, 0); }), "");
    need_on_host(frame, out);
    EXPECT_EQ(out.cell(0, 0), 6);
    EXPECT_EQ(out.cell(0, 3), 3);
  });
}

TEST_F(Access, ARunThatIsRepeatedDoesNotKnowTheLaunchesThatFailed) {
  run([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    fake.control->inject(FakeOperation::Launch, 0, FakeFault::FailLater);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    EXPECT_THROW(need_on_host(frame, out), DeviceLost);
    EXPECT_NE(error_of([&] { (void)out.cell(3, 2); }), "");
    forget_launches(in);
    forget_launches(out);
    // The host makes all of it, and says nothing, for there is no device.
    EXPECT_EQ(error_of([&] { out.cell(3, 2) = in.cell(3, 2) + 5; }), "");
    EXPECT_EQ(error_of([&] { in.cell(3, 2) = 9; }), "");
    EXPECT_EQ(out.cell(3, 2), 6);
    EXPECT_EQ(error_of([&] { wrote_on_host(in); }), "");
  });
}

TEST_F(Access, MemoryThatComesAgainIsFresh) {
  run([&](Frame& frame) {
    for (int round = 0; round < 20; ++round) {
      const Matrix2 in = filled(8, 4, round), out = Matrix2::allocate(8, 4);
      out.cell(0, 0) = 1;
      add(frame, out, in);
      EXPECT_NE(error_of([&] { (void)out.cell(0, 0); }), "");
    }
  });
}

}  // namespace
}  // namespace pbrt::gpu
