// SPDX-License-Identifier: MIT
// Tests of the device's state, its statistics and its trace.
#include "runtime/gpu/manager/managed_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"

namespace pbrt::gpu {
namespace {

using ::testing::HasSubstr;

TEST(ManagedDevice, FailsOnceAndSaysWhy) {
  ManualManager manager;
  EXPECT_TRUE(manager.device.is_alive());
  EXPECT_TRUE(manager.device.fail("first"));
  EXPECT_FALSE(manager.device.fail("second"));
  EXPECT_FALSE(manager.device.is_alive());
  EXPECT_EQ(manager.device.failure_message(), "the device failed: first");
  ASSERT_EQ(manager.warnings.size(), 1U);
  EXPECT_THAT(manager.warnings.front(), HasSubstr("first"));
}

TEST(ManagedDevice, TheLimitIsThreeQuartersOfTheMemoryUnlessItIsTheHosts) {
  DeviceInfo info = fake_device_info();
  info.memory_bytes = 4000;
  EXPECT_EQ(ManualManager(0, info).device.memory_limit(), 3000U);
  EXPECT_EQ(ManualManager(7, info).device.memory_limit(), 7U);
  info.shares_host_memory = true;
  EXPECT_EQ(ManualManager(0, info).device.memory_limit(), UINT64_MAX);
}

TEST(ManagerStatistics, AResetForgetsCountsAndKeepsRejectedKernels) {
  ManualManager manager;
  manager.statistics.count([](DeviceStatistics& s) { s.launches = 3; });
  manager.statistics.reject({"kernel", "log"});
  static_cast<void>(manager.device->build("", "increment", ""));
  EXPECT_EQ(manager.counted().launches, 3);
  EXPECT_EQ(manager.counted().builds_rejected, 1);
  EXPECT_EQ(manager.counted().kernels_built, 1);
  manager.statistics.reset(*manager.device);
  EXPECT_EQ(manager.counted().launches, 0);
  EXPECT_EQ(manager.counted().kernels_built, 0);
  EXPECT_EQ(manager.statistics.rejected().size(), 1U);
}

TEST(ManagerTrace, AKernelBeginsWhenTheOneBeforeHasEnded) {
  static constexpr RuleDesc kRule = {"T.Out#1", "opencl"};
  ManualManager manager;
  Trace events(true);
  ManagerOptions options;
  options.trace = &events;
  options.trace_name = "device";
  ManagerTrace trace(options, manager.statistics);
  Operation first(manager.queue, trace, {TraceKind::Kernel, &kRule, 10}, CopyOrder::InQueue);
  Operation second(manager.queue, trace, {TraceKind::Kernel, &kRule, 10}, CopyOrder::InQueue);
  trace.record_end(first, second.enqueued_ns + 1000);
  trace.record_end(second, second.enqueued_ns + 3000);
  const DeviceStatistics counted = manager.counted();
  ASSERT_EQ(counted.kernels.size(), 1U);
  EXPECT_EQ(counted.kernels.front().launches, 2);
  EXPECT_EQ(counted.kernels.front().cells, 20);
  EXPECT_EQ(counted.kernels.front().time_ns, second.enqueued_ns + 3000 - first.enqueued_ns);
}

TEST(ManagerTrace, WithoutATraceThereIsNoTime) {
  ManualManager manager;
  EXPECT_FALSE(manager.trace.is_on());
  EXPECT_EQ(manager.trace.time_ns(), 0);
}

}  // namespace
}  // namespace pbrt::gpu
