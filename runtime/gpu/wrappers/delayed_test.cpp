// SPDX-License-Identifier: MIT
// A device that is slow at random: an announced access sees the right data, another one may see older data.
#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/config/errors.h"
#include "runtime/gpu/testing/fake_fixture.h"
#include "runtime/gpu/wrappers/delayed_device.h"

namespace pbrt::gpu {
namespace {

std::unique_ptr<Manager> delayed_manager(const std::shared_ptr<FakeControl>& control, const Delays& delays) {
  add_kernels(*control);
  auto device = std::make_unique<FakeDevice>(control, fake_device_info());
  return std::make_unique<Manager>(std::make_unique<DelayedDevice>(std::move(device), delays));
}

std::string increment(Frame& frame, Manager& manager, const Matrix2& m) {
  const std::int32_t lo[] = {0, 0}, extent[] = {m.width(), m.height()};
  Launch launch(kIncrement, frame, &manager);
  launch.inout(m, CopyOut::May).scalar(1).range(2, lo, extent);
  return launch.run() ? "" : launch.reason();
}

TEST(DelayedDevice, ComputesWhatTheOtherOneDoes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto control = std::make_shared<FakeControl>();
    control->set_min_bytes_beside(seed % 2 == 0 ? 1 : UINT64_MAX);
    const auto manager = delayed_manager(control, {seed, 200});
    Scheduler scheduler(2);
    scheduler.run([&](Frame& frame) {
      const Matrix2 m = filled(16, 4, 0);
      for (int round = 1; round <= 20; ++round) {
        EXPECT_EQ(increment(frame, *manager, m), "");
        if (round % 3 != 0) continue;
        before_host_write(frame, m.region(0, 0, 16, 1));
        for (int x = 0; x < 16; ++x) EXPECT_EQ(m.cell(x, 0), round);
        wrote_on_host(frame, m.region(0, 0, 16, 1));
      }
      need_on_host(frame, m);
      EXPECT_TRUE(is_filled(m, 20));
    });
  }
}

TEST(DelayedDevice, TakesEffectLate) {
  const auto control = std::make_shared<FakeControl>();
  const auto manager = delayed_manager(control, {3, 20000});
  int num_late = 0;
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    // A busy machine may be late, too.
    for (int round = 0; round < 500 && num_late == 0; ++round) {
      const Matrix2 m = filled(16, 4, 0);
      EXPECT_EQ(increment(frame, *manager, m), "");
      fetch(frame, m);
      // The cells are not looked at: before the copy is needed on the host, it may be written at any moment.
      const bool is_late = manager->statistics().copies_to_host < round + 1 || control->num_pending() != 0;
      num_late += is_late ? 1 : 0;
      need_on_host(frame, m);
      EXPECT_TRUE(is_filled(m, 1));
    }
  });
  EXPECT_GT(num_late, 0);
}

TEST(DelayedDevice, ReportsFailures) {
  const auto control = std::make_shared<FakeControl>();
  control->inject(FakeOperation::Launch, 0, FakeFault::Fail);
  const auto manager = delayed_manager(control, {1, 10});
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 m = filled(16, 4, 0);
    EXPECT_EQ(increment(frame, *manager, m), "");
    EXPECT_THROW(need_on_host(frame, m), DeviceLost);
  });
}

TEST(DelayedDevice, ReadsTheEnvironment) {
  const char* const name = "POLYBRICKS_DEVICE_DELAYS";
  ::unsetenv(name);
  EXPECT_FALSE(delays_of_environment());
  ::setenv(name, "7", 1);
  EXPECT_EQ(delays_of_environment()->seed, 7U);
  ::setenv(name, "7,50", 1);
  EXPECT_EQ(delays_of_environment()->max_us, 50);
  for (const char* wrong : {"x", "7,", "7,x", "7,-1", "7 "}) {
    ::setenv(name, wrong, 1);
    EXPECT_THROW((void)delays_of_environment(), UserError) << wrong;
  }
  ::unsetenv(name);
}

}  // namespace
}  // namespace pbrt::gpu
