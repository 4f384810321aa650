// SPDX-License-Identifier: MIT
// Tests of the device's state.
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

}  // namespace
}  // namespace pbrt::gpu
