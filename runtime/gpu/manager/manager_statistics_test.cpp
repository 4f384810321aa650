// SPDX-License-Identifier: MIT
// Tests of the counters of a manager.
#include "runtime/gpu/manager/manager_statistics.h"

#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"

namespace pbrt::gpu {
namespace {

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
  EXPECT_EQ(manager.counted().builds_rejected, 0);
  EXPECT_EQ(manager.counted().kernels_built, 0);
  ASSERT_EQ(manager.statistics.rejected().size(), 1U);
  EXPECT_EQ(manager.statistics.rejected().front().name, "kernel");
}

TEST(ManagerStatistics, CountersOfTheDeviceAreThoseSinceTheReset) {
  ManualManager manager;
  static_cast<void>(manager.device->build("", "increment", ""));
  manager.statistics.reset(*manager.device);
  static_cast<void>(manager.device->build("", "increment", ""));
  static_cast<void>(manager.device->build("", "add_step", ""));
  EXPECT_EQ(manager.counted().kernels_built, 2);
}

TEST(ManagerStatistics, KernelsAreSummedByRule) {
  static constexpr RuleDesc kFirst = {"T.Out#1", "opencl"}, kSecond = {"T.Out#1", "opencl_local"};
  ManualManager manager;
  manager.statistics.add_kernel(&kFirst, 10, 100);
  manager.statistics.add_kernel(&kSecond, 20, 300);
  manager.statistics.add_kernel(&kFirst, 30, 500);
  const DeviceStatistics counted = manager.counted();
  ASSERT_EQ(counted.kernels.size(), 2U);
  EXPECT_EQ(counted.kernels[0].rule, &kFirst);
  EXPECT_EQ(counted.kernels[0].launches, 2);
  EXPECT_EQ(counted.kernels[0].cells, 40);
  EXPECT_EQ(counted.kernels[0].time_ns, 600);
  EXPECT_EQ(counted.kernels[1].rule, &kSecond);
  EXPECT_EQ(counted.kernels[1].launches, 1);
  EXPECT_EQ(counted.kernels[1].time_ns, 300);
}

}  // namespace
}  // namespace pbrt::gpu
