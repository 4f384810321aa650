// SPDX-License-Identifier: MIT
// Which depth of time tiles devices get where nobody says one.
#include "runtime/gpu/versions/usual_depth.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/gpu/testing/shape_plans.h"

namespace pbrt::gpu {
namespace {

using Numbers = std::vector<std::int64_t>;

VersionFacts facts_of(const Numbers& extents, const Numbers& radius) {
  return {static_cast<int>(extents.size()), extents.data(), radius.data(), 4};
}

DeviceInfo device_of(DeviceType type) {
  DeviceInfo out = shape_device_of(type);
  out.local_bytes = 48 * 1024;
  return out;
}

std::int64_t depth_on(DeviceType type, const Numbers& extents, const Numbers& radius) {
  return usual_depth_on(device_of(type), facts_of(extents, radius));
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

TEST(UsualDepth, IsThatOfGroupsWithRoomInMemory) {
  const Numbers extents{8192, 8192}, radius{1, 1};
  VersionFacts facts = facts_of(extents, radius);
  facts.element_bytes = 8;
  EXPECT_EQ(usual_depth_on(device_of(DeviceType::Gpu), facts), 3) << "groups have 64 x 32 cells";
}

TEST(UsualDepth, IsThatOfTheConfigurationsGroups) {
  const Numbers extents{8192, 8192}, radius{1, 1}, small{16, 16}, one{1, 1}, usual{32, 8}, many{2, 8};
  VersionFacts facts = facts_of(extents, radius);
  facts.group = small.data();
  facts.items = one.data();
  EXPECT_EQ(usual_depth_on(device_of(DeviceType::Gpu), facts), 1);
  facts.group = usual.data();
  facts.items = many.data();
  EXPECT_EQ(usual_depth_on(device_of(DeviceType::Gpu), facts), 5);
}

TEST(UsualDepth, IsOneOnACpu) { EXPECT_EQ(depth_on(DeviceType::Cpu, {8192, 8192}, {1, 1}), 1); }

TEST(UsualDepth, IsWhatTheConfigurationSays) {
  const Numbers extents{8192, 8192}, radius{1, 1};
  Manager* const none = nullptr;
  EXPECT_EQ(depth_of(3, none, facts_of(extents, radius)), 3);
  EXPECT_EQ(depth_of(0, none, facts_of(extents, radius)), 1) << "nothing is launched";
}

}  // namespace
}  // namespace pbrt::gpu
