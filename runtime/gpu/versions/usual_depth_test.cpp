// SPDX-License-Identifier: MIT
// Which depth of time tiles devices get where nobody says one.
#include "runtime/gpu/versions/usual_depth.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/testing/fake_fixture.h"
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

std::int64_t depth_on(DeviceType type, const VersionFacts& facts) {
  return usual_depth_on(device_of(type), facts, facts.extents[facts.num_dims - 1]);
}

std::int64_t depth_on(DeviceType type, const Numbers& extents, const Numbers& radius) {
  return depth_on(type, facts_of(extents, radius));
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
  EXPECT_EQ(depth_on(DeviceType::Gpu, facts), 3) << "groups have 64 x 32 cells";
}

TEST(UsualDepth, IsThatOfTheConfigurationsGroups) {
  const Numbers extents{8192, 8192}, radius{1, 1}, small{16, 16}, one{1, 1}, usual{32, 8}, many{2, 8};
  VersionFacts facts = facts_of(extents, radius);
  facts.group = small.data();
  facts.items = one.data();
  EXPECT_EQ(depth_on(DeviceType::Gpu, facts), 1);
  facts.group = usual.data();
  facts.items = many.data();
  EXPECT_EQ(depth_on(DeviceType::Gpu, facts), 5);
}

TEST(UsualDepth, IsOneOnACpu) { EXPECT_EQ(depth_on(DeviceType::Cpu, {8192, 8192}, {1, 1}), 1); }

/// Plates of different heights, whose depth is large only if there are many rows.
class DepthOfBlocks : public ::testing::Test {
 protected:
  static constexpr std::int64_t kWidth = 1024;
  static constexpr std::int64_t kMostRows = 8192;

  /// The depth of a plate with so many rows on these devices, as they are.
  static std::int64_t depth(const ManagerSet& devices, std::int64_t rows) {
    const Numbers extents{kWidth, rows}, radius{1, 1};
    return depth_of(0, &devices, facts_of(extents, radius));
  }
  /// Expects the depth of so many eighths of the rows on one device.
  void expect_depth_of_eighths(std::int64_t eighths, const ManagerSet& devices) {
    for (std::int64_t rows = 64; rows <= kMostRows; rows *= 2)
      EXPECT_EQ(depth(devices, rows), depth(single, rows * eighths / 8)) << rows;
  }

  static DeviceInfo gpu() {
    DeviceInfo out = device_of(DeviceType::Gpu);
    out.memory_bytes = fake_device_info().memory_bytes;
    return out;
  }

  FakeManager one{gpu()}, two{gpu()};
  const ManagerSet single{one.manager.get()}, both{{one.manager.get(), two.manager.get()}};
};

TEST_F(DepthOfBlocks, IsThatOfAPlateOfTheirSize) {
  expect_depth_of_eighths(4, both);
  int num_shallower = 0;
  for (std::int64_t rows = 64; rows <= kMostRows; rows *= 2)
    num_shallower += depth(both, rows) < depth(single, rows) ? 1 : 0;
  EXPECT_GT(num_shallower, 0) << "blocks have fewer groups";
}

TEST_F(DepthOfBlocks, IsThatOfTheLargestOne) {
  expect_depth_of_eighths(6, both.with_weights({6, 2}));
  expect_depth_of_eighths(6, both.with_weights({2, 6}));
  expect_depth_of_eighths(8, both.with_weights({0, 5}));
}

TEST_F(DepthOfBlocks, IsThatOfTheDeviceThatHasTheLargestOne) {
  FakeManager cpu(device_of(DeviceType::Cpu));
  const ManagerSet devices({cpu.manager.get(), one.manager.get()});
  EXPECT_EQ(depth(devices.with_weights({1, 7}), kMostRows), depth(single, kMostRows * 7 / 8));
  EXPECT_EQ(depth(devices.with_weights({7, 1}), kMostRows), 1);
}

TEST_F(DepthOfBlocks, IsThatOfDevicesThatHaveNotFailed) {
  two.control->inject(FakeOperation::Launch, 0, FakeFault::Fail);
  Scheduler scheduler(1);
  scheduler.run([&](Frame& frame) {
    const Matrix2 m = filled(4, 4, 0);
    EXPECT_NE(two.increment(frame, m, 1, CopyOut::May), "");
  });
  expect_depth_of_eighths(8, both);
}

TEST(UsualDepth, IsWhatTheConfigurationSays) {
  const Numbers extents{8192, 8192}, radius{1, 1};
  Manager* const none = nullptr;
  EXPECT_EQ(depth_of(3, none, facts_of(extents, radius)), 3);
  EXPECT_EQ(depth_of(0, none, facts_of(extents, radius)), 1) << "nothing is launched";
}

}  // namespace
}  // namespace pbrt::gpu
