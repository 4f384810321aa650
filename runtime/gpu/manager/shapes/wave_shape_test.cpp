// SPDX-License-Identifier: MIT
// Tests of the shapes of wavefronts.
#include "runtime/gpu/manager/shapes/wave_shape.h"

#include <gtest/gtest.h>

#include <set>

#include "runtime/gpu/testing/shape_plans.h"

namespace pbrt::gpu {
namespace {

using Shape = std::array<std::size_t, 3>;

constexpr KernelDesc kPlane = {
    .name = "plane", .num_wave_rows = 2, .wave_rows = {{{1, 0, 0}, true}, {{0, 1, 0}, true}}};
constexpr KernelDesc kBeside = {
    .name = "beside", .num_wave_rows = 3, .wave_rows = {{{1, 0, 0}, false}, {{0, 1, 0}, true}, {{0, 0, -1}, true}}};
constexpr KernelDesc kSkewed = {
    .name = "skewed", .num_wave_rows = 2, .wave_rows = {{{0, 1, 0}, true}, {{1, 2, 0}, true}}};
constexpr KernelDesc kSpace = {
    .name = "space", .num_wave_rows = 3, .wave_rows = {{{1, 0, 0}, true}, {{0, 1, 0}, true}, {{0, 0, 1}, true}}};

const DeviceInfo kGpu = shape_device_of(DeviceType::Gpu), kCpu = shape_device_of(DeviceType::Cpu);

/// The blocks that the launches run, by their numbers along the rows.
std::multiset<Shape> blocks_of(const LaunchPlan& plan, const WaveShape& shape) {
  std::multiset<Shape> out;
  const int last = plan.kernel->num_wave_rows - 1;
  int wave = 0;
  for (const LaunchStage& launch : waves_of(plan, shape, nullptr)) {
    EXPECT_EQ(launch.numbers[0], wave++);
    Shape groups;
    for (std::size_t r = 0; r < 3; ++r) groups[r] = launch.range.global[r] / launch.range.group[r];
    bool is_first = true;
    for (std::size_t a = 0; a < groups[0]; ++a)
      for (std::size_t b = 0; b < groups[1]; ++b)
        for (std::size_t c = 0; c < groups[2]; ++c) {
          Shape block{a, b, c};
          std::int64_t sum = launch.numbers[0];
          is_first = true;
          for (int r = 0; r < last; ++r) {
            if (!plan.kernel->wave_rows[r].is_carried) continue;
            if (is_first) block[static_cast<std::size_t>(r)] += static_cast<std::size_t>(launch.numbers[1]);
            is_first = false;
            sum -= static_cast<std::int64_t>(block[static_cast<std::size_t>(r)]);
          }
          const auto l = static_cast<std::size_t>(last);
          if (sum < 0 || sum >= static_cast<std::int64_t>(shape.blocks[l])) continue;
          block[l] = static_cast<std::size_t>(sum);
          out.insert(block);
        }
  }
  return out;
}

void expect_each_block_once(const LaunchPlan& plan, const WaveShape& shape) {
  std::multiset<Shape> all;
  for (std::size_t a = 0; a < shape.blocks[0]; ++a)
    for (std::size_t b = 0; b < shape.blocks[1]; ++b)
      for (std::size_t c = 0; c < shape.blocks[2]; ++c) all.insert({a, b, c});
  EXPECT_EQ(blocks_of(plan, shape), all);
}

TEST(WaveShape, OfAPlaneHasSquareBlocks) {
  const LaunchPlan plan = launch_plan_of(kPlane, {1000, 700}, {}, {});
  const auto shape = wave_shape_of(plan, kGpu);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->group, (Shape{64, 1, 1}));
  EXPECT_EQ(shape->span, (Shape{64, 64, 1}));
  EXPECT_EQ(shape->blocks, (Shape{16, 11, 1}));
  EXPECT_EQ(waves_of(plan, *shape, nullptr).size(), 26U);
  expect_each_block_once(plan, *shape);
}

TEST(WaveShape, OfAConfigurationHasWorkItemsWithSeveralPlaces) {
  const LaunchPlan plan = launch_plan_of(kPlane, {100, 70}, {8, 3, 1}, {2, 0, 1});
  const auto shape = wave_shape_of(plan, kGpu);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->group, (Shape{8, 1, 1}));
  EXPECT_EQ(shape->span, (Shape{16, 3, 1}));
  expect_each_block_once(plan, *shape);
}

TEST(WaveShape, OfACpuHasOneWorkItem) {
  const auto shape = wave_shape_of(launch_plan_of(kPlane, {1000, 700}, {}, {}), kCpu);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->group, (Shape{1, 1, 1}));
  EXPECT_EQ(shape->span, (Shape{64, 64, 1}));
}

TEST(WaveShape, HasNeighboursAlongAParallelRow) {
  const LaunchPlan plan = launch_plan_of(kBeside, {100, 20, 30}, {}, {});
  const auto shape = wave_shape_of(plan, kGpu);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->group, (Shape{32, 8, 1}));
  EXPECT_EQ(shape->span, (Shape{32, 8, 8}));
  expect_each_block_once(plan, *shape);
}

TEST(WaveShape, OfSkewedRowsCoversTheHullOfTheInstances) {
  const LaunchPlan plan = launch_plan_of(kSkewed, {100, 20}, {4, 8, 1}, {1, 1, 1});
  const auto shape = wave_shape_of(plan, kGpu);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->blocks, (Shape{5, 18, 1}));  // 20 places, and 99 + 2 * 19 + 1
  expect_each_block_once(plan, *shape);
}

TEST(WaveShape, OfThreeCarriedRowsHasPlanesOfBlocks) {
  const LaunchPlan plan = launch_plan_of(kSpace, {20, 30, 10}, {}, {});
  const auto shape = wave_shape_of(plan, kGpu);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->group, (Shape{8, 8, 1}));
  EXPECT_EQ(shape->blocks, (Shape{3, 4, 2}));
  expect_each_block_once(plan, *shape);
}

TEST(WaveShape, OfALongNarrowPlaneHasLongBlocks) {
  const LaunchPlan plan = launch_plan_of(kPlane, {10'000'000, 3}, {}, {});
  const auto shape = wave_shape_of(plan, kGpu);
  ASSERT_TRUE(shape);
  EXPECT_LE(waves_of(plan, *shape, nullptr).size(), 8192U);
  EXPECT_EQ(shape->span[1], 3U);
}

TEST(WaveShape, OfRowsThatAreTooLongIsNone) {
  EXPECT_FALSE(wave_shape_of(launch_plan_of(kSkewed, {5, 2'000'000'000}, {}, {}), kGpu));
}

}  // namespace
}  // namespace pbrt::gpu
