// SPDX-License-Identifier: MIT
// Tests of the shapes that launches get where a configuration leaves them open.
#include "runtime/gpu/manager/work_shape.h"

#include <gtest/gtest.h>

#include "runtime/gpu/testing/shape_plans.h"

namespace pbrt::gpu {
namespace {

using Shape = std::array<std::size_t, 3>;

constexpr KernelDesc kPlain = {.name = "plain"};
constexpr KernelDesc kMany = {.name = "many", .default_items = 4};

const DeviceInfo kGpu = shape_device_of(DeviceType::Gpu), kCpu = shape_device_of(DeviceType::Cpu);

LaunchPlan plan_of(std::vector<std::int32_t> extent, const KernelDesc& kernel = kMany, const Shape& group = {},
                   const Shape& items = {}) {
  return launch_plan_of(kernel, std::move(extent), group, items);
}
WorkShape on_gpu(const LaunchPlan& plan) { return shape_of(plan, kGpu); }

TEST(WorkShape, OfAConfigurationIsTaken) {
  const WorkShape shape = on_gpu(plan_of({1000, 1000}, kMany, {8, 4, 7}, {2, 4, 7}));
  EXPECT_EQ(shape.group, (Shape{8, 4, 1})) << "dimensions that the launch lacks have one";
  EXPECT_EQ(shape.items, (Shape{2, 4, 1}));
  EXPECT_EQ(shape.span(1), 16U);
}

TEST(WorkShape, OfAWorkItemIsCutToWhatBuildsUnroll) {
  EXPECT_EQ(on_gpu(plan_of({1 << 20}, kMany, {64}, {1000})).items, (Shape{16, 1, 1}));
  EXPECT_EQ(on_gpu(plan_of({1 << 10, 1 << 10}, kMany, {64, 1}, {8, 8})).items, (Shape{4, 4, 1}));
}

TEST(WorkShape, OfAWorkItemIsOneWhereTheKernelKnowsNoMore) {
  EXPECT_EQ(on_gpu(plan_of({1 << 28}, kPlain)).items, (Shape{1, 1, 1}));
  EXPECT_EQ(on_gpu(plan_of({1 << 28}, kPlain, {64}, {4})).items, (Shape{1, 1, 1}));
}

TEST(WorkShape, OnACpuHasOneInstancePerWorkItem) {
  EXPECT_EQ(shape_of(plan_of({1 << 28}), kCpu), (WorkShape{{64, 1, 1}, {1, 1, 1}}));
  EXPECT_EQ(shape_of(plan_of({4096, 4096}), kCpu), (WorkShape{{16, 16, 1}, {1, 1, 1}}));
  EXPECT_EQ(shape_of(plan_of({256, 256, 256}), kCpu), (WorkShape{{8, 8, 4}, {1, 1, 1}}));
}

TEST(WorkShape, InOneDimensionGrowsWithTheLaunch) {
  EXPECT_EQ(on_gpu(plan_of({1})).group, (Shape{1, 1, 1}));
  EXPECT_EQ(on_gpu(plan_of({1000})), (WorkShape{{64, 1, 1}, {1, 1, 1}})) << "the groups must fill 100 compute units";
  EXPECT_EQ(on_gpu(plan_of({100 * 256})), (WorkShape{{256, 1, 1}, {1, 1, 1}}));
  EXPECT_EQ(on_gpu(plan_of({100 * 2048 * 2})), (WorkShape{{256, 1, 1}, {2, 1, 1}}));
  EXPECT_EQ(on_gpu(plan_of({1 << 28})), (WorkShape{{256, 1, 1}, {4, 1, 1}}));
}

TEST(WorkShape, FollowsTheExtentsOfRowsAndColumns) {
  EXPECT_EQ(on_gpu(plan_of({8192, 8192})), (WorkShape{{64, 4, 1}, {1, 4, 1}}));
  EXPECT_EQ(on_gpu(plan_of({16, 1 << 22})), (WorkShape{{16, 16, 1}, {1, 4, 1}}));
  EXPECT_EQ(on_gpu(plan_of({3, 1 << 22})).group, (Shape{4, 64, 1}));
  EXPECT_EQ(on_gpu(plan_of({1 << 24, 1})), (WorkShape{{256, 1, 1}, {4, 1, 1}})) << "one row has its instances in it";
  EXPECT_EQ(on_gpu(plan_of({1 << 24, 2})).group, (Shape{128, 2, 1}));
  EXPECT_EQ(on_gpu(plan_of({40, 1 << 20})).group, (Shape{16, 16, 1})) << "lines of 32 would be filled badly";
  EXPECT_EQ(on_gpu(plan_of({512, 1, 512})).group, (Shape{256, 1, 1}));
  EXPECT_EQ(on_gpu(plan_of({8, 2, 1 << 20})).group, (Shape{8, 2, 16}));
}

TEST(WorkShape, StandsInOneBatch) {
  const LaunchPlan plan = plan_of({8, 4, 2, 1 << 10, 1 << 10});
  EXPECT_EQ(extents_of(plan), (Shape{8, 4, 2}));
  EXPECT_EQ(batches_of(plan), std::size_t{1} << 20U);
  EXPECT_EQ(instances_of(plan), std::size_t{1} << 26U);
  EXPECT_EQ(on_gpu(plan).group, (Shape{8, 4, 2})) << "groups do not reach into the next batch";
  EXPECT_EQ(on_gpu(plan_of({64, 4, 1, 1})).group, (Shape{64, 1, 1}));
  EXPECT_EQ(on_gpu(plan_of({64, 4, 1, 1 << 12})).group, (Shape{64, 4, 1})) << "the instances of all batches count";
}

constexpr KernelDesc kVectors = {
    .name = "vectors", .num_regions = 2, .default_items = 4, .vector_width = 4, .vector_regions = 0b10};

/// A launch with two matrices of this shape, of which vectors access the second one.
LaunchPlan aligned_plan(std::int32_t width, std::int32_t height, std::int64_t offset = 0, const Shape& items = {}) {
  LaunchPlan plan = plan_of({width, height}, kVectors, {}, items);
  for (const std::int64_t first : {std::int64_t{1}, offset}) {
    LaunchRegion region;
    region.view.num_dims = 2;
    region.view.offset = first;
    region.view.sizes[0] = width, region.view.sizes[1] = height;
    region.view.strides[0] = 1, region.view.strides[1] = width;
    plan.regions.push_back(std::move(region));
  }
  return plan;
}

TEST(WorkShape, HasVectorsWhereRowsAreAligned) {
  const WorkShape whole = on_gpu(aligned_plan(8192, 8192)), half = on_gpu(aligned_plan(8190, 8192));
  EXPECT_EQ(whole.vector_width, 4U);
  EXPECT_EQ(whole.items, (Shape{4, 2, 1}));
  EXPECT_EQ(half.vector_width, 2U) << "rows begin at every second cell";
  EXPECT_EQ(half.items, (Shape{2, 4, 1}));
  EXPECT_EQ(on_gpu(aligned_plan(8191, 8192)), (WorkShape{{64, 4, 1}, {1, 4, 1}}));
  EXPECT_EQ(on_gpu(aligned_plan(8192, 8192, 2)).vector_width, 2U);
  EXPECT_EQ(on_gpu(aligned_plan(8192, 8192, 1)).vector_width, 0U);
  EXPECT_EQ(on_gpu(aligned_plan(512, 512)).vector_width, 0U) << "too few cells for all compute units";
}

TEST(WorkShape, HasVectorsWhereItsItemsAreWholeOnes) {
  EXPECT_EQ(on_gpu(aligned_plan(64, 64, 0, {8, 1})).vector_width, 4U);
  EXPECT_EQ(on_gpu(aligned_plan(64, 64, 0, {2, 4})).vector_width, 2U);
  EXPECT_EQ(on_gpu(aligned_plan(64, 64, 0, {1, 4})).vector_width, 0U);
  EXPECT_EQ(on_gpu(aligned_plan(64, 64, 0, {3, 4})).vector_width, 0U);
}

TEST(WorkShape, HasVectorsInTilesOfWholeGroups) {
  KernelDesc tiles = kVectors;
  tiles.has_vectors_in_tiles = true;
  const auto shape_in = [&](const Shape& group, const Shape& items) {
    LaunchPlan plan = aligned_plan(4096, 4096, 0, items);
    plan.kernel = &tiles;
    plan.group = group;
    return on_gpu(plan);
  };
  EXPECT_EQ(shape_in({32, 8, 1}, {1, 4, 1}).vector_width, 4U) << "instances run one by one";
  EXPECT_EQ(shape_in({3, 8, 1}, {2, 1, 1}).vector_width, 2U);
  EXPECT_EQ(shape_in({3, 8, 1}, {1, 1, 1}).vector_width, 0U);
  EXPECT_EQ(shape_in({}, {}).items, (Shape{1, 4, 1})) << "they stand above each other";
}

TEST(WorkShape, HasNoVectorsWhereMemoryMayLieAnywhere) {
  DeviceInfo sharing = kGpu;
  sharing.shares_host_memory = true;
  EXPECT_EQ(shape_of(aligned_plan(8192, 8192), sharing).vector_width, 0U);
  EXPECT_EQ(shape_of(aligned_plan(8192, 8192), kCpu).vector_width, 0U);
  LaunchPlan shifted = aligned_plan(8192, 8192), strided = aligned_plan(8192, 8192),
             versions = aligned_plan(8192, 8192);
  shifted.lo[0] = 1;
  strided.regions[1].view.strides[0] = 2;
  versions.regions[1].has_versions = true;
  for (const LaunchPlan* plan : {&shifted, &strided, &versions}) EXPECT_EQ(on_gpu(*plan).vector_width, 0U);
}

TEST(WorkShape, ServesRowsThatCross) {
  constexpr KernelDesc kTransposed = {.name = "transposed", .default_items = 4, .crossed_loop = 1};
  constexpr KernelDesc kDeep = {.name = "deep", .default_items = 4, .crossed_loop = 2};
  const auto with = [](std::vector<std::int32_t> extent, const KernelDesc& kernel) {
    return plan_of(std::move(extent), kernel);
  };
  EXPECT_EQ(on_gpu(with({8192, 8192}, kTransposed)), (WorkShape{{8, 32, 1}, {4, 1, 1}}));
  EXPECT_EQ(on_gpu(with({512, 100, 512}, kDeep)), (WorkShape{{8, 1, 32}, {4, 1, 1}}));
  EXPECT_EQ(on_gpu(with({512, 512}, kTransposed)), (WorkShape{{8, 32, 1}, {1, 1, 1}})) << "more items leave units idle";
  EXPECT_EQ(on_gpu(with({100, 100}, kTransposed)), on_gpu(with({100, 100}, kMany))) << "groups are smaller";
  EXPECT_EQ(on_gpu(with({1 << 20, 3}, kTransposed)), on_gpu(with({1 << 20, 3}, kMany))) << "few rows do not cross";
  EXPECT_EQ(shape_of(with({8192, 8192}, kTransposed), kCpu).group, (Shape{16, 16, 1}));
  EXPECT_EQ(on_gpu(plan_of({8192, 8192}, kTransposed, {64, 4, 1}, {1, 4, 1})).group, (Shape{64, 4, 1}));
}

/// A plan whose instances have a fold of `length` iterations.
LaunchPlan fold_of(std::vector<std::int32_t> extent, const KernelDesc& kernel, std::int32_t length,
                   std::size_t lanes = 0, const Shape& group = {}) {
  LaunchPlan plan = plan_of(std::move(extent), kernel, group);
  plan.scalars.emplace_back(length);
  plan.lanes = lanes;
  return plan;
}
constexpr KernelDesc kRows = {.name = "rows", .lanes = Lanes::Neighbours, .fold_length = 0, .num_stages = 2};
constexpr KernelDesc kColumns = {.name = "columns", .lanes = Lanes::Apart, .fold_length = 0, .num_stages = 2};

TEST(WorkShape, OfLanesFollowsFoldsAndInstances) {
  EXPECT_EQ(on_gpu(fold_of({16384}, kRows, 16384)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 256}));
  EXPECT_EQ(on_gpu(fold_of({1 << 18}, kRows, 1024)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 64}));
  EXPECT_EQ(on_gpu(fold_of({1 << 20}, kRows, 16)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 2})) << "two at least";
  EXPECT_EQ(on_gpu(fold_of({128}, kRows, 1 << 22)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024})) << "few instances";
  EXPECT_EQ(on_gpu(fold_of({1 << 20}, kRows, 3)).lanes, 1U);
  constexpr KernelDesc kShort = {.name = "short", .lanes = Lanes::Neighbours, .most_rounds = 8};
  EXPECT_EQ(on_gpu(fold_of({1 << 20}, kShort, 1)).lanes, 2U)
      << "no size says the length, but no instance has more rounds";
  EXPECT_EQ(on_gpu(fold_of({1 << 20}, kColumns, 1 << 10)).lanes, 1U) << "the device is full";
  EXPECT_EQ(on_gpu(fold_of({1 << 12}, kColumns, 1 << 12)).lanes, 32U) << "204800 work-items fill the device";
  EXPECT_EQ(shape_of(fold_of({16384}, kRows, 16384), kCpu).lanes, 1U);
}

TEST(WorkShape, OfLanesOfAConfigurationIsTaken) {
  const WorkShape shape = on_gpu(fold_of({1000, 1000}, kRows, 100, 50, {16, 16, 1}));
  EXPECT_EQ(shape, (WorkShape{{256, 1, 1}, {1, 1, 1}, 32})) << "a power of two, and groups along loop 0";
  EXPECT_EQ(shape.span(0), 8U);
  EXPECT_EQ(shape.span(1), 1U);
  EXPECT_EQ(on_gpu(fold_of({1000}, kRows, 100, 128, {64})), (WorkShape{{128, 1, 1}, {1, 1, 1}, 128}));
  EXPECT_EQ(on_gpu(fold_of({1000, 1000}, kRows, 100, 1, {16, 4, 1})).group, (Shape{16, 4, 1}));
  EXPECT_EQ(on_gpu(plan_of({1000}, kPlain)).lanes, 1U);
  EXPECT_EQ(with_group(shape, {16, 1, 1}), (WorkShape{{16, 1, 1}, {1, 1, 1}, 16}));
}

TEST(WorkShape, HasSeveralGroupsForAFoldOfFewInstances) {
  EXPECT_EQ(on_gpu(fold_of({64}, kRows, 1 << 22)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 256, 8}));
  EXPECT_EQ(on_gpu(fold_of({1}, kRows, 1 << 28)).fold_groups, 512U) << "131072 of 204800 work-items";
  EXPECT_EQ(on_gpu(fold_of({1}, kRows, 1 << 16)).fold_groups, 16U) << "16 iterations per lane";
  EXPECT_EQ(on_gpu(fold_of({1}, kRows, 1 << 14)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024})) << "a short fold";
  EXPECT_EQ(on_gpu(fold_of({1}, kRows, 1 << 14, 5000, {64})), (WorkShape{{64, 1, 1}, {1, 1, 1}, 64, 64}));
  EXPECT_EQ(on_gpu(fold_of({1 << 14}, kRows, 100, 1 << 20)).fold_groups, 4U) << "memory for records has a limit";
  EXPECT_EQ(shape_of(fold_of({1}, kRows, 1 << 28), kCpu).fold_groups, 1U);
}

TEST(WorkShape, OfAnInstanceThatStoresInItsLoopsHasSeveralGroupsIfItHasStages) {
  constexpr KernelDesc kPhases = {
      .name = "phases", .lanes = Lanes::Neighbours, .fold_length = 0, .stores_in_phases = true};
  EXPECT_EQ(on_gpu(fold_of({1}, kPhases, 1 << 28)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024}));
  EXPECT_EQ(on_gpu(fold_of({64}, kPhases, 1 << 20, 5000, {64})), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024}));
  EXPECT_EQ(on_gpu(fold_of({16384}, kPhases, 16384)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024}));
  EXPECT_EQ(on_gpu(fold_of({1 << 18}, kPhases, 1024)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 64}));
  KernelDesc staged = kPhases;
  staged.num_stages = 3;
  EXPECT_EQ(on_gpu(fold_of({1}, staged, 1 << 28)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 256, 512}));
  EXPECT_EQ(on_gpu(fold_of({16384}, staged, 16384)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024})) << "many instances";
}

LaunchPlan kept_of(std::vector<std::int32_t> extent, std::int32_t length, std::size_t kept_rounds,
                   std::size_t lanes = 0) {
  static constexpr KernelDesc kKept = {
      .name = "kept", .lanes = Lanes::Neighbours, .fold_length = 0, .kept_length = 0, .stores_in_phases = true};
  LaunchPlan plan = fold_of(std::move(extent), kKept, length, lanes);
  plan.kept_rounds = kept_rounds;
  return plan;
}

TEST(WorkShape, HasLanesThatKeepTheirCells) {
  EXPECT_EQ(on_gpu(kept_of({16384}, 16384, 32)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024, 1, 16}));
  EXPECT_EQ(on_gpu(kept_of({16384}, 4096, 32)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 256, 1, 16}));
  EXPECT_EQ(on_gpu(kept_of({16384}, 32768, 32)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024, 1, 32}));
  EXPECT_EQ(on_gpu(kept_of({16384}, 16384, 16)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024, 1, 16}));
  EXPECT_EQ(on_gpu(kept_of({16384}, 16385, 16)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024})) << "too long to be kept";
  EXPECT_EQ(on_gpu(kept_of({1 << 18}, 1000, 32)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 64, 1, 16}));
  EXPECT_EQ(on_gpu(kept_of({1 << 18}, 640, 32)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 64, 1, 12}));
  EXPECT_EQ(on_gpu(kept_of({1 << 20}, 64, 32)), (WorkShape{{256, 1, 1}, {1, 1, 1}, 8, 1, 8})) << "eight at least";
  EXPECT_EQ(on_gpu(kept_of({64}, 4096, 32)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024, 1, 4})) << "few instances";
  EXPECT_EQ(on_gpu(kept_of({1 << 20}, 3, 32)).lanes, 1U);
  EXPECT_EQ(on_gpu(kept_of({16384}, 16384, 0)), (WorkShape{{1024, 1, 1}, {1, 1, 1}, 1024}));
  EXPECT_EQ(shape_of(kept_of({16384}, 16384, 32), kCpu).lanes, 1U);
}

TEST(WorkShape, OfAConfigurationKeepsCellsIfLanesHaveFewRounds) {
  EXPECT_EQ(on_gpu(kept_of({1000}, 100, 32, 16)).kept_rounds, 8U) << "a multiple of four";
  EXPECT_EQ(on_gpu(kept_of({1000}, 512, 32, 16)).kept_rounds, 32U);
  EXPECT_EQ(on_gpu(kept_of({1000}, 513, 32, 16)).kept_rounds, 0U);
  EXPECT_EQ(on_gpu(kept_of({1000}, 0, 32, 16)).kept_rounds, 4U);
  const WorkShape shape = on_gpu(kept_of({16384}, 8192, 32));
  EXPECT_EQ(with_group(shape, {512, 1, 1}), shape);
  EXPECT_EQ(with_group(shape, {256, 1, 1}), (WorkShape{{256, 1, 1}, {1, 1, 1}, 256})) << "fewer lanes have more rounds";
}

TEST(WorkShape, OfAFoldOfUnknownLengthFollowsTheLargestInput) {
  constexpr KernelDesc kWhole = {.name = "whole", .lanes = Lanes::Neighbours, .num_stages = 2};
  LaunchPlan plan = plan_of({1}, kWhole);
  plan.lanes = 0;
  LaunchRegion region;
  region.is_read = true;
  region.touched.num_dims = 2;
  region.touched.sizes = {1 << 8, 1 << 8};
  plan.regions.push_back(region);
  EXPECT_EQ(on_gpu(plan).fold_groups, 16U);
  constexpr KernelDesc kNested = {
      .name = "nested", .lanes = Lanes::Neighbours, .fold_length = 0, .inner_length = 0, .num_stages = 2};
  EXPECT_EQ(on_gpu(fold_of({1}, kNested, 1 << 8)).fold_groups, 16U);
}

TEST(WorkShape, HasMoreGroupsWhereTheyOnlyStore) {
  constexpr KernelDesc kSum = {
      .name = "sum", .lanes = Lanes::Neighbours, .fold_length = 0, .num_stages = 2, .record_bytes = 8};
  constexpr KernelDesc kScatter = {.name = "scatter",
                                   .lanes = Lanes::Neighbours,
                                   .fold_length = 0,
                                   .stores_in_phases = true,
                                   .num_stages = 1,
                                   .last_is_divided = true};
  const auto groups = [&](const KernelDesc& kernel, std::int32_t rounds) {
    return on_gpu(fold_of({1}, kernel, rounds)).fold_groups;
  };
  EXPECT_EQ(groups(kScatter, 1 << 28), 4 * groups(kSum, 1 << 28));
  EXPECT_EQ(groups(kScatter, 1 << 16), groups(kSum, 1 << 16)) << "rounds are worth a launch";
}

constexpr KernelDesc kBins = {.name = "bins",
                              .lanes = Lanes::Neighbours,
                              .stores_in_phases = true,
                              .bins = 2,
                              .num_stages = 2,
                              .last_is_divided = true};
constexpr KernelDesc kOrderedBins = {.name = "ordered",
                                     .lanes = Lanes::Neighbours,
                                     .stores_in_phases = true,
                                     .bins = 2,
                                     .has_ordered_bins = true,
                                     .num_stages = 3,
                                     .last_is_divided = true};

/// `num_bins` are those of all instances together; the inputs have 2^20 cells.
LaunchPlan bins_of(std::vector<std::int32_t> extent, std::int64_t num_bins, const KernelDesc& kernel = kBins) {
  LaunchPlan plan = plan_of(std::move(extent), kernel, {256});
  plan.lanes = 4096;
  plan.regions.resize(2);
  for (LaunchRegion& region : plan.regions) region.touched.num_dims = 1;
  plan.regions[0].touched.sizes[0] = 1 << 20;
  plan.regions[0].is_read = true;
  plan.regions[1].touched.sizes[0] = num_bins;
  return plan;
}

TEST(WorkShape, HasBinsOfGroupsThatFit) {
  DeviceInfo device = kGpu;
  device.local_bytes = 48 << 10;
  const auto shape = [&](std::int64_t num_bins) { return shape_of(bins_of({1}, num_bins), device); };
  EXPECT_EQ(shape(0).bin_cells, 64U);
  EXPECT_EQ(shape(200).bin_cells, 256U);
  EXPECT_EQ(shape(200).bin_copies, 16U);
  EXPECT_EQ(shape(1024).bin_copies, 4U);
  EXPECT_EQ(shape(12288).bin_cells, 12288U);
  EXPECT_EQ(shape(12288).bin_copies, 1U);
  EXPECT_EQ(shape(12289).bin_cells, 0U) << "lanes update those of the output";
  EXPECT_EQ(shape_of(bins_of({5}, 100), device).bin_copies, 32U);
  EXPECT_EQ(without_local_bins(bins_of({1}, 200), shape(200)).bin_cells, 0U);
}

TEST(WorkShape, HasBinsForEachInstanceOfAGroup) {
  DeviceInfo device = kGpu;
  device.local_bytes = 48 << 10;
  LaunchPlan plan = bins_of({5}, 5 * 1024);
  plan.lanes = 64;
  EXPECT_EQ(shape_of(plan, device).bin_cells, 1024U) << "of one instance";
  EXPECT_EQ(shape_of(plan, device).bin_copies, 1U) << "of four instances";
  plan.regions[1].view.element_bytes = 8;
  EXPECT_EQ(shape_of(plan, device).bin_cells, 2048U);
  plan.regions[1].touched.sizes[0] = 5 * 2048;
  EXPECT_EQ(shape_of(plan, device).bin_cells, 0U) << "those of four instances do not fit";
  KernelDesc differing = kBins;
  differing.bins_differ = true;
  plan = bins_of({5}, 5, differing);
  plan.kernel = &differing;
  EXPECT_EQ(shape_of(plan, device).bin_cells, 0U);
}

TEST(WorkShape, HasACopyOfOrderedBinsForEachLane) {
  DeviceInfo device = kGpu;
  device.local_bytes = 48 << 10;
  const auto shape = [&](std::int64_t num_bins) { return shape_of(bins_of({1}, num_bins, kOrderedBins), device); };
  EXPECT_EQ(shape(7).bin_cells, 8U);
  EXPECT_EQ(shape(7).bin_copies, 256U);
  EXPECT_EQ(shape(7).lanes, 256U);
  EXPECT_EQ(shape(256).bin_copies, 32U);
  EXPECT_EQ(shape(12288).bin_copies, 1U);
  LaunchPlan several = bins_of({5}, 5 * 8, kOrderedBins);
  several.lanes = 16;
  EXPECT_EQ(shape_of(several, device).group, (Shape{16, 1, 1})) << "a group runs one instance";
  EXPECT_EQ(shape_of(several, device).bin_copies, 16U);
}

TEST(WorkShape, OfShortRowsWithOrderedBinsFillsWhatRunsInStep) {
  KernelDesc rows = kOrderedBins;
  rows.fold_length = 0;
  LaunchPlan plan = bins_of({1 << 20}, 8 << 20, rows);
  plan.kernel = &rows;
  plan.lanes = 0;
  plan.scalars = fold_of({1 << 20}, rows, 128).scalars;
  EXPECT_EQ(on_gpu(plan).group, (Shape{32, 1, 1}));
}

TEST(WorkShape, HasOrderedBinsInRecordsIfTheyDoNotFit) {
  DeviceInfo device = kGpu;
  device.local_bytes = 48 << 10;
  const LaunchPlan plan = bins_of({1}, 12289, kOrderedBins);
  const WorkShape shape = shape_of(plan, device);
  EXPECT_EQ(shape.bin_cells, 12352U);
  EXPECT_EQ(shape.bin_copies, 0U) << "they lie in the records";
  EXPECT_EQ(shape.lanes, 32U);
  EXPECT_EQ(shape.fold_groups, 64U) << "a group has a round for each of its bins";
  const WorkShape one_group = shape_of(bins_of({1}, 1 << 20, kOrderedBins), device);
  EXPECT_EQ(one_group.fold_groups, 1U);
  EXPECT_EQ(one_group.bin_cells, 0U) << "it updates the output's bins";
  WorkShape small = shape_of(bins_of({1}, 7, kOrderedBins), device);
  EXPECT_EQ(with_group(small, {32, 1, 1}).bin_copies, 32U) << "no lane has two copies";
}

TEST(WorkShape, WithFewerItemsEndsAtOne) {
  WorkShape shape{{64, 1, 1}, {3, 2, 1}};
  shape = with_fewer_items(shape);
  EXPECT_EQ(shape.items, (Shape{2, 2, 1}));
  for (int i = 0; i < 5; ++i) shape = with_fewer_items(shape);
  EXPECT_EQ(shape.items, (Shape{1, 1, 1}));
}

}  // namespace
}  // namespace pbrt::gpu
