// SPDX-License-Identifier: MIT
// Which depth of time tiles devices get where nobody says one.
#include "runtime/gpu/versions/usual_depth.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/gpu/testing/shape_plans.h"

namespace pbrt::gpu {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t depth_on(DeviceType type, const Numbers& extents, const Numbers& radius) {
  return usual_depth_on(shape_device_of(type), static_cast<int>(extents.size()), extents.data(), radius.data());
}

TEST(UsualDepth, IsLargeOnAGpu) {
  EXPECT_EQ(depth_on(DeviceType::Gpu, {8192, 8192}, {1, 1}), 5);
  EXPECT_EQ(depth_on(DeviceType::Gpu, {1 << 24}, {1}), 5);
}

TEST(UsualDepth, IsSmallerWhereMarginsTakeMuch) {
  EXPECT_EQ(depth_on(DeviceType::Gpu, {8192, 8192}, {2, 2}), 3);
  EXPECT_EQ(depth_on(DeviceType::Gpu, {8192, 8192}, {4, 4}), 1);
  EXPECT_EQ(depth_on(DeviceType::Gpu, {512, 512, 512}, {1, 1, 1}), 1);
}

TEST(UsualDepth, IsOneWhereGroupsAreFew) {
  EXPECT_EQ(depth_on(DeviceType::Gpu, {100, 100}, {1, 1}), 1);
  EXPECT_EQ(depth_on(DeviceType::Gpu, {0, 100}, {1, 1}), 1);
}

TEST(UsualDepth, IsOneOnACpu) { EXPECT_EQ(depth_on(DeviceType::Cpu, {8192, 8192}, {1, 1}), 1); }

TEST(UsualDepth, IsWhatTheConfigurationSays) {
  const Numbers extents{8192, 8192}, radius{1, 1};
  Manager* const none = nullptr;
  EXPECT_EQ(depth_of(3, none, 2, extents.data(), radius.data()), 3);
  EXPECT_EQ(depth_of(0, none, 2, extents.data(), radius.data()), 1) << "nothing is launched";
}

}  // namespace
}  // namespace pbrt::gpu
