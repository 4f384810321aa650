// SPDX-License-Identifier: MIT
// Tests of the shapes of launches whose groups overlap.
#include "runtime/gpu/manager/shapes/margin_shape.h"

#include <gtest/gtest.h>

#include "runtime/gpu/testing/shape_plans.h"

namespace pbrt::gpu {
namespace {

using Shape = std::array<std::size_t, 3>;

constexpr KernelDesc kTile = {.name = "tile", .specialize_group = true, .default_items = 4};

const DeviceInfo kGpu = shape_device_of(DeviceType::Gpu), kCpu = shape_device_of(DeviceType::Cpu);

LaunchPlan plan_of(std::vector<std::int32_t> extent, const Shape& margins, const Shape& group = {},
                   const Shape& items = {}) {
  LaunchPlan plan = launch_plan_of(kTile, std::move(extent), group, items);
  plan.margins = margins;
  return plan;
}

TEST(MarginShape, IsOnlyThatOfLaunchesWithMargins) {
  EXPECT_FALSE(has_margins(plan_of({100}, {})));
  EXPECT_TRUE(has_margins(plan_of({100, 100}, {0, 1, 0})));
}

TEST(MarginShape, OfAConfigurationIsTaken) {
  EXPECT_EQ(margin_shape_of(plan_of({4096, 4096}, {3, 3, 0}, {16, 4, 1}, {2, 2, 1}), kGpu),
            (WorkShape{{16, 4, 1}, {2, 2, 1}}));
  EXPECT_EQ(margin_shape_of(plan_of({4096, 4096}, {3, 3, 0}, {16, 4, 1}, {8, 8, 1}), kGpu).items, (Shape{4, 4, 1}))
      << "builds unroll no more";
}

TEST(MarginShape, IsNoLargerThanADeviceAllows) {
  DeviceInfo small = kGpu;
  small.max_group_size = 256;
  EXPECT_EQ(margin_shape_of(plan_of({4096, 4096}, {3, 3, 0}), small), (WorkShape{{32, 8, 1}, {2, 8, 1}}));
}

TEST(MarginShape, IsLargeOnAGpu) {
  EXPECT_EQ(margin_shape_of(plan_of({4096, 4096}, {3, 3, 0}), kGpu), (WorkShape{{64, 8, 1}, {1, 8, 1}}));
  EXPECT_EQ(margin_shape_of(plan_of({1 << 20}, {3, 0, 0}), kGpu), (WorkShape{{256, 1, 1}, {16, 1, 1}}));
}

TEST(MarginShape, HasFewerInstancesWhereGroupsAreFew) {
  const LaunchPlan plan = plan_of({256, 256}, {3, 3, 0});
  const WorkShape shape = margin_shape_of(plan, kGpu);
  EXPECT_LT(shape.items[1], 8U);
  EXPECT_TRUE(has_own_spans(plan, shape));
}

TEST(MarginShape, HasLongGroupsAlongLoopsWithMargins) {
  const LaunchPlan third = plan_of({100, 100, 100}, {7, 0, 7});
  EXPECT_TRUE(has_own_spans(third, margin_shape_of(third, kGpu)));
  const LaunchPlan all = plan_of({100, 100, 100}, {7, 7, 7});
  EXPECT_TRUE(has_own_spans(all, margin_shape_of(all, kGpu)));
  EXPECT_TRUE(has_own_spans(all, margin_shape_of(all, kCpu)));
}

TEST(MarginShape, IsFoundForAllMargins) {
  for (const DeviceInfo& device : {kGpu, kCpu})
    for (std::size_t x = 0; x <= 56; ++x)
      for (std::size_t y = 0; y <= 56; ++y)
        for (std::size_t z = 0; z <= 56; ++z) {
          const LaunchPlan plan = plan_of({400, 400, 400}, {x, y, z});
          const WorkShape shape = margin_shape_of(plan, device);
          ASSERT_LE(shape.group[0] * shape.group[1] * shape.group[2], 256U);
          ASSERT_GE(shape.group[0] * shape.group[1] * shape.group[2], 1U);
          if (x <= 3 && y <= 3 && z <= 3) {
            ASSERT_TRUE(has_own_spans(plan, shape)) << x << " " << y << " " << z;
          }
        }
}

TEST(MarginShape, HasInstancesOfItsOwnWhereItCan) {
  for (const DeviceInfo& device : {kGpu, kCpu})
    for (const std::size_t margin : {1, 3, 5, 7})
      for (const Shape& group : {Shape{0, 0, 0}, Shape{16, 8, 1}, Shape{64, 4, 1}}) {
        const LaunchPlan plan = plan_of({30, 1000}, {margin, margin, 0}, group);
        EXPECT_TRUE(has_own_spans(plan, margin_shape_of(plan, device))) << margin << " of a group of " << group[1];
      }
  const LaunchPlan narrow = plan_of({1000, 1000}, {7, 7, 0}, {1, 1, 1}, {1, 1, 1});
  EXPECT_FALSE(has_own_spans(narrow, margin_shape_of(narrow, kGpu)));
  EXPECT_EQ(own_span(narrow, margin_shape_of(narrow, kGpu), 0), 0U);
  EXPECT_EQ(own_span(narrow, margin_shape_of(narrow, kGpu), 2), 1U);
}

}  // namespace
}  // namespace pbrt::gpu
