// SPDX-License-Identifier: MIT
// Devices that fail: at each kind of operation, at once or later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

using ::testing::HasSubstr;

template <class F>
void on_workers(F&& body) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { body(frame); });
}

TEST(Fault, RefusedOperationsFailTheLaunchOnly) {
  for (const FakeOperation operation : {FakeOperation::Allocate, FakeOperation::Write, FakeOperation::Launch}) {
    SCOPED_TRACE(static_cast<int>(operation));
    FakeManager fake;
    fake.control->inject(operation, 0, FakeFault::Refuse);
    on_workers([&](Frame& frame) {
      const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
      EXPECT_NE(fake.add_step(frame, out, in, 1, CopyOut::Must), "");
      EXPECT_TRUE(is_filled(out, 0));
      EXPECT_TRUE(fake.manager->is_alive());
      EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::Must), "");
      EXPECT_TRUE(is_filled(out, 2));
    });
    EXPECT_EQ(fake.manager->statistics().launches_failed, 1);
    EXPECT_EQ(fake.warnings.size(), 0U);
  }
}

TEST(Fault, AFailingDeviceIsDroppedOnceAndNothingIsLost) {
  for (const FakeOperation operation :
       {FakeOperation::Allocate, FakeOperation::Build, FakeOperation::Write, FakeOperation::Launch})
    for (const FakeFault fault : {FakeFault::Fail, FakeFault::FailLater}) {
      if (fault == FakeFault::FailLater && (operation == FakeOperation::Allocate || operation == FakeOperation::Build))
        continue;
      SCOPED_TRACE(static_cast<int>(operation) * 10 + static_cast<int>(fault));
      FakeManager fake;
      fake.control->inject(operation, 0, fault);
      on_workers([&](Frame& frame) {
        const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
        EXPECT_THAT(fake.add_step(frame, out, in, 1, CopyOut::Must), HasSubstr("the device failed"));
        EXPECT_FALSE(fake.manager->is_alive());
        EXPECT_THAT(fake.add_step(frame, out, in, 1, CopyOut::Must), HasSubstr("the device failed"));
        need_on_host(frame, in);
        need_on_host(frame, out);
        before_host_write(frame, out);
        wrote_on_host(out);
        EXPECT_TRUE(is_filled(in, 1));
      });
      fake.manager.reset();
      EXPECT_EQ(fake.warnings.size(), 1U);
    }
}

TEST(Fault, ResultsThatOnlyTheDeviceHadAreLost) {
  FakeManager fake;
  fake.control->inject(FakeOperation::Read, 0, FakeFault::FailLater);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0), more = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::May), "");
    EXPECT_THROW(need_on_host(frame, out), DeviceLost);
    EXPECT_THROW(need_on_host(frame, out.row(1)), DeviceLost);
    need_on_host(frame, in);
    // The rows that the host writes again are valid again.
    wrote_on_host(out.row(1));
    need_on_host(frame, out.row(1));
    EXPECT_THROW(need_on_host(frame, out), DeviceLost);
    wrote_on_host(out);
    need_on_host(frame, out);
  });
}

TEST(Fault, AKernelThatFailsAfterItsCallerWentOnLosesItsResult) {
  for (const bool shares_memory : {false, true}) {
    DeviceInfo info = fake_device_info();
    info.shares_host_memory = shares_memory;
    FakeManager fake(info);
    fake.control->inject(FakeOperation::Launch, 1, FakeFault::FailLater);
    on_workers([&](Frame& frame) {
      const Matrix2 in = filled(8, 4, 1), a = filled(8, 4, 0), b = filled(8, 4, 0);
      fake.control->hold();
      EXPECT_EQ(fake.add_step(frame, a, in, 1, CopyOut::May), "");
      EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::May), "");
      fake.control->release();
      EXPECT_THROW(need_on_host(frame, b), DeviceLost);
      const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
      Launch launch(kAddStep, frame, fake.manager.get());
      launch.input(b).output(a, CopyOut::Must).scalar(1).range(2, lo, extent);
      EXPECT_FALSE(launch.run());
    });
  }
}

/// Launches out = in + 1, which fails.
void expect_failure(Frame& frame, FakeManager& fake, const Matrix2& out, const Matrix2& in) {
  EXPECT_THAT(fake.add_step(frame, out, in, 1, CopyOut::Must), HasSubstr("the device failed"));
}

TEST(Fault, WhatAFailedKernelWasToChangeInPlaceIsLost) {
  for (const bool shares_memory : {false, true})
    for (const FakeOperation operation : {FakeOperation::Launch, FakeOperation::Read}) {
      if (shares_memory && operation == FakeOperation::Read) continue;
      SCOPED_TRACE(static_cast<int>(operation) * 2 + static_cast<int>(shares_memory));
      DeviceInfo info = fake_device_info();
      info.shares_host_memory = shares_memory;
      const auto failing = [&](const auto& body) {
        FakeManager fake(info);
        fake.control->inject(operation, 0, FakeFault::FailLater);
        on_workers([&](Frame& frame) { body(frame, fake); });
      };
      failing([](Frame& frame, FakeManager& fake) {
        const Matrix2 m = filled(8, 4, 1);
        EXPECT_THAT(fake.increment(frame, m, 1, CopyOut::Must), HasSubstr("the device failed"));
        EXPECT_THROW(need_on_host(frame, m), DeviceLost);
      });
      failing([](Frame& frame, FakeManager& fake) {
        const Matrix2 m = filled(8, 4, 1);
        expect_failure(frame, fake, m, m);
        EXPECT_THROW(need_on_host(frame, m), DeviceLost) << "the input is the output";
        before_host_overwrite(frame, m);
        wrote_on_host(frame, m);
        need_on_host(frame, m);
      });
      failing([](Frame& frame, FakeManager& fake) {
        const Matrix2 m = filled(8, 4, 1), part = m.region(4, 0, 8, 4);
        expect_failure(frame, fake, part, part);
        EXPECT_THROW(need_on_host(frame, part.region(3, 3, 4, 4)), DeviceLost) << "a part of a matrix";
        need_on_host(frame, m.region(0, 0, 4, 4));
      });
      failing([](Frame& frame, FakeManager& fake) {
        const Matrix2 m = filled(4, 4, 1);
        expect_failure(frame, fake, m.transposed(), m);
        EXPECT_THROW(need_on_host(frame, m), DeviceLost) << "a view of the output";
      });
      failing([](Frame& frame, FakeManager& fake) {
        const Matrix2 m = filled(8, 4, 1);
        expect_failure(frame, fake, m.region(4, 0, 8, 4), m.region(0, 0, 4, 4));
        need_on_host(frame, m);  // the input is another part of the matrix
        EXPECT_TRUE(is_filled(m.region(0, 0, 4, 4), 1));
      });
    }
}

TEST(Fault, AKernelInPlaceBehindAFailedOneLeavesNothingToTheHost) {
  for (const bool shares_memory : {false, true}) {
    DeviceInfo info = fake_device_info();
    info.shares_host_memory = shares_memory;
    FakeManager fake(info);
    fake.control->inject(FakeOperation::Launch, 0, FakeFault::FailLater);
    on_workers([&](Frame& frame) {
      const Matrix2 m = filled(8, 4, 1);
      fake.control->hold();
      EXPECT_EQ(fake.add_step(frame, m, m, 1, CopyOut::May), "");
      fake.control->when_called(FakeOperation::Launch, 1, [&] { fake.control->release(); });
      EXPECT_THAT(fake.add_step(frame, m, m, 1, CopyOut::Must), HasSubstr("the device failed"));
      EXPECT_THROW(need_on_host(frame, m), DeviceLost);
    });
  }
}

TEST(Fault, EagerReadThatFailsLeavesTheWorkToTheHost) {
  FakeManager fake;
  fake.control->inject(FakeOperation::Read, 0, FakeFault::Refuse);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_THAT(fake.add_step(frame, out, in, 1, CopyOut::Must), HasSubstr("the device failed"));
    need_on_host(frame, in);
    need_on_host(frame, out);  // the CPU version is going to write it: nothing of it is lost
  });
}

TEST(Fault, RejectedKernelsAreNotTriedAgain) {
  FakeManager fake;
  fake.control->inject(FakeOperation::Build, 0, FakeFault::Refuse);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::Must), "the driver rejected the kernel");
    EXPECT_EQ(fake.increment(frame, out, 1, CopyOut::Must), "") << "other kernels are not concerned";
  });
  ASSERT_EQ(fake.manager->rejected_kernels().size(), 1U);
  EXPECT_EQ(fake.manager->rejected_kernels()[0].log, "injected build failure");
  fake.manager.reset();
  EXPECT_EQ(fake.warnings.size(), 1U);
}

TEST(Fault, NoDoublePrecisionIsAReason) {
  DeviceInfo info = fake_device_info();
  info.has_fp64 = false;
  FakeManager fake(info);
  static constexpr KernelDesc kDouble = {
      .name = "increment", .source = "", .needs_fp64 = true, .num_regions = 1, .num_scalars = 1};
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 1);
    const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
    Launch launch(kDouble, frame, fake.manager.get());
    launch.inout(m, CopyOut::Must).scalar(1).range(2, lo, extent);
    EXPECT_FALSE(launch.run());
    EXPECT_THAT(launch.reason(), HasSubstr("double precision"));
    EXPECT_FALSE(launch.run());
  });
  ASSERT_EQ(fake.warnings.size(), 1U);
  EXPECT_THAT(fake.warnings[0], HasSubstr("device `fake` has no double precision, the CPU does the work"));
  EXPECT_THAT(fake.warnings[0], HasSubstr("`pbc --element float`"));
}

}  // namespace
}  // namespace pbrt::gpu
