// SPDX-License-Identifier: MIT
// Tests of the shapes of launches that run scans.
#include "runtime/gpu/manager/shapes/scan_shape.h"

#include <gtest/gtest.h>

#include "runtime/gpu/testing/shape_plans.h"

namespace pbrt::gpu {
namespace {

using Shape = std::array<std::size_t, 3>;

constexpr KernelDesc kAlong = {
    .name = "along", .scan_loop = 0, .scan_cell_bytes = 4, .scan_part_bytes = 4, .scan_record_words = 1};
constexpr KernelDesc kAcross = {
    .name = "across", .scan_loop = 1, .scan_cell_bytes = 4, .scan_part_bytes = 4, .scan_record_words = 1};
constexpr KernelDesc kWide = {
    .name = "wide", .scan_loop = 0, .scan_cell_bytes = 64, .scan_part_bytes = 64, .scan_record_words = 16};

DeviceInfo with_local_memory(DeviceInfo device) {
  device.local_bytes = 48 * 1024;
  return device;
}
const DeviceInfo kGpu = with_local_memory(shape_device_of(DeviceType::Gpu)),
                 kCpu = with_local_memory(shape_device_of(DeviceType::Cpu));

LaunchPlan plan_of(const KernelDesc& kernel, std::vector<std::int32_t> extent, const Shape& group = {},
                   const Shape& items = {}) {
  return launch_plan_of(kernel, std::move(extent), group, items);
}

TEST(ScanShape, OfALongLineHasAGroupPerWindow) {
  const LaunchPlan plan = plan_of(kAlong, {1 << 20});
  const WorkShape shape = scan_shape_of(plan, kGpu);
  EXPECT_EQ(shape.group, (Shape{256, 1, 1}));
  EXPECT_EQ(shape.items, (Shape{16, 1, 1}));
  EXPECT_EQ(shape.scan_items, 256U);
  EXPECT_TRUE(has_group_per_window(plan, shape, kGpu));
  EXPECT_EQ(range_of_windows(plan, shape).global, (Shape{256 * 256, 1, 1}));
}

TEST(ScanShape, OfHalfAWindowHasHalfTheWorkItemsAlongTheScan) {
  const LaunchPlan plan = plan_of(kAlong, {1 << 20, 100}, {64, 4, 1});
  const WorkShape half = with_half_a_window(plan, scan_shape_of(plan, kGpu));
  EXPECT_EQ(half.group, (Shape{32, 4, 1}));
  EXPECT_EQ(half.scan_items, 32U);
}

TEST(ScanShape, OfManyRowsHasAGroupPerRow) {
  const LaunchPlan plan = plan_of(kAlong, {16384, 1000});
  const WorkShape shape = scan_shape_of(plan, kGpu);
  EXPECT_EQ(shape.group, (Shape{128, 1, 1}));
  EXPECT_EQ(shape.items, (Shape{16, 1, 1}));
  EXPECT_FALSE(has_group_per_window(plan, shape, kGpu));
  EXPECT_EQ(range_of_lines(plan, shape).global, (Shape{128, 1000, 1}));
}

TEST(ScanShape, OfShortRowsHasSeveralInAGroup) {
  EXPECT_EQ(scan_shape_of(plan_of(kAlong, {100, 1000}), kGpu).group, (Shape{16, 16, 1}));
}

TEST(ScanShape, AcrossRowsHasNeighboursSideBySide) {
  EXPECT_EQ(scan_shape_of(plan_of(kAcross, {1000, 5000}), kGpu).group, (Shape{32, 8, 1}));
  const LaunchPlan many = plan_of(kAcross, {100000, 5000});
  const WorkShape shape = scan_shape_of(many, kGpu);
  EXPECT_EQ(shape.scan_items, 0U) << "a work-item runs a line";
  EXPECT_EQ(range_of_lines(many, shape).global[1], 1U);
}

TEST(ScanShape, KeepsWhatLocalMemoryHolds) {
  const WorkShape chosen = scan_shape_of(plan_of(kWide, {1 << 20}), kGpu);
  EXPECT_LT(chosen.items[0], 16U);
  const WorkShape given = scan_shape_of(plan_of(kWide, {1 << 20}, {1024, 1, 1}, {16, 1, 1}), kGpu);
  EXPECT_EQ(given.items[0], 1U);
  EXPECT_LT(given.scan_items, 1024U);
}

TEST(ScanShape, OfAConfigurationIsTaken) {
  const WorkShape shape = scan_shape_of(plan_of(kAcross, {1000, 1000}, {5, 17, 3}, {4, 3, 2}), kGpu);
  EXPECT_EQ(shape.group, (Shape{4, 16, 1})) << "powers of two";
  EXPECT_EQ(shape.items, (Shape{1, 3, 1})) << "along the scan alone";
  EXPECT_EQ(scan_shape_of(plan_of(kAcross, {1000, 1000}, {8, 1, 1}), kGpu).scan_items, 0U);
}

TEST(ScanShape, OnACpuHasAWorkItemPerLineUnlessLinesAreFewAndLong) {
  EXPECT_EQ(scan_shape_of(plan_of(kAlong, {1 << 20, 1000}), kCpu).scan_items, 0U);
  EXPECT_EQ(scan_shape_of(plan_of(kAlong, {1000}), kCpu).scan_items, 0U);
  EXPECT_EQ(scan_shape_of(plan_of(kAlong, {1 << 20}), kCpu).scan_items, 64U);
}

TEST(ScanShape, HasMemoryForTheRecordsOfAllLines) {
  // 3 groups of 4 lines with 3 windows each, whose parts are one, and two records per window.
  const LaunchPlan plan = plan_of(kAcross, {9, 100}, {4, 8, 1}, {1, 5, 1});
  const ScanScratch scratch = scan_scratch_of(plan, scan_shape_of(plan, kGpu));
  EXPECT_EQ(scratch.range.global[0], 128U) << "1 + 12 * (2 * 3 + 1 + 1) words, in whole groups";
  EXPECT_EQ(scratch.bytes, 128U * 8);
}

}  // namespace
}  // namespace pbrt::gpu
