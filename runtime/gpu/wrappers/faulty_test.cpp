// SPDX-License-Identifier: MIT
// A device that fails at a given launch, as the environment says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "runtime/config/errors.h"
#include "runtime/gpu/testing/fake_fixture.h"
#include "runtime/gpu/wrappers/faulty_device.h"
#include "runtime/gpu/wrappers/limited_device.h"

namespace pbrt::gpu {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Device> faulty_device(const DeviceFaults& faults) {
  const auto control = std::make_shared<FakeControl>();
  add_kernels(*control);
  return std::make_unique<FaultyDevice>(std::make_unique<FakeDevice>(control, fake_device_info()), faults);
}

/// Options of managers whose warnings nobody reads.
ManagerOptions silent() {
  ManagerOptions options;
  options.warn = [](void*, const char*) {};
  return options;
}

std::string increment(Frame& frame, Manager& manager, const Matrix2& m) {
  const std::int32_t lo[] = {0, 0}, extent[] = {m.width(), m.height()};
  Launch launch(kIncrement, frame, &manager);
  launch.inout(m, CopyOut::Must).scalar(1).range(2, lo, extent);
  return launch.run() ? "" : launch.reason();
}

TEST(FaultyDevice, SpoilsTheFirstElementOfOneLaunch) {
  Manager manager(faulty_device({DeviceFault::Spoil, 1}));
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 m = filled(16, 4, 0);
    EXPECT_EQ(increment(frame, manager, m), "");
    EXPECT_TRUE(is_filled(m, 1));
    EXPECT_EQ(increment(frame, manager, m), "");
    EXPECT_NE(m.cell(0, 0), 2);
    EXPECT_EQ(m.cell(2, 0), 2);
    EXPECT_EQ(m.cell(15, 3), 2);
  });
}

TEST(FaultyDevice, FailsOneLaunch) {
  Manager manager(faulty_device({DeviceFault::Fail, 1}), silent());
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 m = filled(16, 4, 0);
    EXPECT_EQ(increment(frame, manager, m), "");
    EXPECT_THAT(increment(frame, manager, m), HasSubstr("did not succeed"));
  });
}

TEST(FaultyDevice, HangsFromOneLaunchOn) {
  auto limited = std::make_unique<LimitedDevice>(faulty_device({DeviceFault::Hang, 1}), std::chrono::milliseconds(100));
  Manager manager(std::move(limited), silent());
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 m = filled(16, 4, 0);
    EXPECT_EQ(increment(frame, manager, m), "");
    EXPECT_THAT(increment(frame, manager, m), HasSubstr("kernel `increment` has not ended"));
  });
}

TEST(FaultyDevice, RefusesOneLaunch) {
  Manager manager(faulty_device({DeviceFault::Refuse, 1}), silent());
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 m = filled(16, 4, 0);
    EXPECT_EQ(increment(frame, manager, m), "");
    EXPECT_THAT(increment(frame, manager, m), HasSubstr("refused"));
    EXPECT_EQ(increment(frame, manager, m), "") << "the device goes on";
    need_on_host(frame, m);
    EXPECT_TRUE(is_filled(m, 2));
  });
}

TEST(FaultyDevice, HasNoDoubles) { EXPECT_FALSE(faulty_device({DeviceFault::NoDoubles, 0})->info().has_fp64); }

TEST(FaultyDevice, ReadsTheEnvironment) {
  const char* const name = "POLYBRICKS_DEVICE_FAULTS";
  ::unsetenv(name);
  EXPECT_FALSE(faults_of_environment());
  ::setenv(name, "hang:7", 1);
  EXPECT_EQ(faults_of_environment()->fault, DeviceFault::Hang);
  EXPECT_EQ(faults_of_environment()->launch, 7);
  ::setenv(name, "spoil:0", 1);
  EXPECT_EQ(faults_of_environment()->fault, DeviceFault::Spoil);
  ::setenv(name, "refuse:2", 1);
  EXPECT_EQ(faults_of_environment()->fault, DeviceFault::Refuse);
  ::setenv(name, "no-doubles", 1);
  EXPECT_EQ(faults_of_environment()->fault, DeviceFault::NoDoubles);
  for (const char* wrong : {"x", "hang", "hang:", "hang:x", "hang:-1", "hang:1 ", "break:1"}) {
    ::setenv(name, wrong, 1);
    EXPECT_THROW((void)faults_of_environment(), UserError) << wrong;
  }
  ::unsetenv(name);
}

}  // namespace
}  // namespace pbrt::gpu
