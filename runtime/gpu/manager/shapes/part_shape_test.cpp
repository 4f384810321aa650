// SPDX-License-Identifier: MIT
// Tests of the shapes of launches whose rounds are cut into ranges.
#include "runtime/gpu/manager/shapes/part_shape.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "runtime/gpu/manager/block_shape.h"
#include "runtime/gpu/testing/shape_plans.h"

namespace pbrt::gpu {
namespace {

using Shape = std::array<std::size_t, 3>;

constexpr KernelDesc kProduct = {.name = "product",
                                 .num_scalars = 1,
                                 .block_loops = {0, 1},
                                 .block_bytes = 4,
                                 .may_copy_ahead = true,
                                 .has_block_parts = true,
                                 .block_length = 0,
                                 .num_panels = 2};

DeviceInfo device_of(DeviceType type) {
  DeviceInfo out = shape_device_of(type);
  out.compute_units = 132;
  out.local_bytes = 49152;
  return out;
}
const DeviceInfo kGpu = device_of(DeviceType::Gpu), kCpu = device_of(DeviceType::Cpu);

/// A product of `n` columns and `m` rows, each cell with `k` rounds.
LaunchPlan product_of(std::int32_t n, std::int32_t m, std::int32_t k, const KernelDesc& kernel = kProduct) {
  LaunchPlan plan = launch_plan_of(kernel, {n, m}, {0, 0, 0}, {0, 0, 0});
  plan.lanes = 0;
  plan.block_rounds = 16;
  plan.block_parts = 0;
  plan.scalars.emplace_back(k);
  plan.panels = {{{4, {{{0, 0, 0}, kBlockExtent}, {{0, 1, 0}, 1}}}, 1},
                 {{4, {{{1, 0, 0}, 1}, {{0, 0, 0}, kBlockExtent}}}, 0}};
  return plan;
}

std::optional<WorkShape> on_gpu(const LaunchPlan& plan) { return block_shape_of(plan, kGpu); }

/// The instances of a work-item, and the ranges.
std::pair<Shape, std::size_t> form_of(const LaunchPlan& plan) {
  const auto shape = on_gpu(plan);
  return shape ? std::pair(shape->items, shape->block_parts) : std::pair(Shape{}, std::size_t{0});
}

TEST(PartShape, FillsTheDeviceWhereTilesAreFew) {
  EXPECT_EQ(form_of(product_of(256, 256, 65536)), std::pair(Shape({8, 8, 1}), std::size_t{64}));
  EXPECT_EQ(form_of(product_of(64, 64, 65536)), std::pair(Shape({4, 4, 1}), std::size_t{256}));
  EXPECT_EQ(form_of(product_of(16, 16, 1000000)), std::pair(Shape({2, 2, 1}), std::size_t{2048}));
  EXPECT_EQ(on_gpu(product_of(16, 16, 1000000))->group, (Shape{8, 8, 1}));
  EXPECT_EQ(form_of(product_of(256, 256, 1024)), std::pair(Shape({4, 4, 1}), std::size_t{4})) << "smaller tiles";
  EXPECT_EQ(form_of(product_of(8, 8, 1000000)).second, 2048U) << "a quarter of a tile";
}

TEST(PartShape, LeavesOthersAsTheyAre) {
  EXPECT_EQ(form_of(product_of(4096, 4096, 65536)).second, 1U) << "there are many tiles";
  EXPECT_EQ(form_of(product_of(1024, 1024, 1024)).second, 1U) << "smaller tiles fill the device, and ranges are short";
  EXPECT_EQ(form_of(product_of(256, 256, 256)), std::pair(Shape({2, 4, 1}), std::size_t{1})) << "ranges are too short";
  EXPECT_FALSE(on_gpu(product_of(16, 16, 4096))) << "lanes divide the fold";
  EXPECT_FALSE(on_gpu(product_of(4, 4, 1000000))) << "a tile would be filled by a sixteenth";
  EXPECT_FALSE(on_gpu(product_of(1000, 1, 1000000)));
  LaunchPlan plan = product_of(16, 16, 1000000);
  plan.block_parts = 1;
  EXPECT_FALSE(on_gpu(plan)) << "a configuration forbids ranges";
  KernelDesc other = kProduct;
  other.block_length = -1;
  EXPECT_FALSE(on_gpu(product_of(16, 16, 1000000, other))) << "nothing says how many rounds there are";
  other = kProduct;
  other.has_block_parts = false;
  EXPECT_FALSE(on_gpu(product_of(16, 16, 1000000, other))) << "only the order of the source is right";
  plan = product_of(16, 16, 1000000);
  plan.block_items = {2, 2};
  EXPECT_EQ(block_shape_of(plan, kCpu)->block_parts, 1U);
}

TEST(PartShape, HasTheLargestTilesWhereThereAreManyRounds) {
  EXPECT_EQ(form_of(product_of(512, 512, 65536)), std::pair(Shape({8, 8, 1}), std::size_t{16}));
}

TEST(PartShape, IsThatOfTheConfiguration) {
  LaunchPlan plan = product_of(256, 256, 65536);
  plan.block_parts = 3;
  EXPECT_EQ(form_of(plan), std::pair(Shape({2, 4, 1}), std::size_t{3}));
  plan = product_of(16, 16, 1000);
  plan.block_parts = 7;
  EXPECT_EQ(form_of(plan), std::pair(Shape({2, 2, 1}), std::size_t{7}));
  plan.block_items = {4, 2};
  for (const DeviceInfo& device : {kGpu, kCpu}) EXPECT_EQ(block_shape_of(plan, device)->block_parts, 7U);
  plan.block_parts = 4096;
  plan.block_rounds = 4;
  EXPECT_EQ(on_gpu(plan)->block_parts, 250U) << "there are no more blocks";
  plan = product_of(4096, 4096, 65536);
  plan.block_parts = 1000;
  EXPECT_EQ(on_gpu(plan)->block_parts, 4U) << "256 MB have room for four numbers of each instance";
}

TEST(PartShape, SuitsMatrixUnits) {
  KernelDesc adds = kProduct;
  adds.block_bytes = 8;
  adds.products = Products::OfDoubles;
  LaunchPlan plan = product_of(256, 256, 65536, adds);
  for (LaunchPanel& panel : plan.panels) panel.cells.element_bytes = 8;
  plan.may_use_matrix_units = true;
  const auto shape = block_shape_of(plan, kGpu, true);
  ASSERT_TRUE(shape && shape->on_matrix_units);
  EXPECT_EQ(shape->items, (Shape{16, 4, 1}));
  EXPECT_EQ(shape->block_parts, 64U);
}

TEST(PartShape, KeepsWhatInstancesCarryInPlanes) {
  EXPECT_EQ(part_bytes_of(product_of(3, 5, 100), 4), 240U);
  EXPECT_EQ(part_bytes_of(product_of(3, 5, 100), 3), 184U) << "a plane has an even number of words";
  KernelDesc wide = kProduct;
  wide.block_bytes = 12;
  EXPECT_EQ(part_bytes_of(product_of(3, 5, 100, wide), 3), 3U * 184);
}

TEST(PartShape, OfTheSecondLaunchHasLanesWhereThereIsRoom) {
  const LaunchPlan plan = product_of(16, 16, 1000000);
  const WorkShape few = combining_shape_of(plan, kGpu, 2048);
  EXPECT_EQ(few.group, (Shape{16, 1, 1}));
  EXPECT_EQ(few.part_lanes, 32U);
  EXPECT_EQ(combining_range_of(plan, few).global, (Shape{16 * 32, 16, 1}));
  EXPECT_EQ(combining_range_of(plan, few).group, (Shape{16 * 32, 1, 1}));
  EXPECT_EQ(combining_shape_of(plan, kGpu, 3).part_lanes, 1U);
  EXPECT_EQ(combining_shape_of(plan, kCpu, 2048).part_lanes, 1U);
  EXPECT_EQ(combining_shape_of(product_of(1000, 1000, 100), kGpu, 64).part_lanes, 1U) << "many instances";
  EXPECT_EQ(with_fewer_part_lanes(few).part_lanes, 16U);
  LaunchPlan batches = product_of(5, 3, 100);
  batches.extent = {5, 3, 2, 7};
  EXPECT_EQ(combining_range_of(batches, combining_shape_of(batches, kCpu, 2)).global, (Shape{8, 3, 14}));
}

}  // namespace
}  // namespace pbrt::gpu
