// SPDX-License-Identifier: MIT
// Tests of the built kernels: which arguments share a build, with which options each is built, and what a rejected
// kernel leaves behind.
#include "runtime/gpu/manager/kernel_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/gpu/testing/fake_device.h"
#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;

constexpr SpecializedScalar kWidth[] = {{"PB_KWIDTH", 0}};
constexpr KernelDesc kPlain = {.name = "increment", .options = "-DX=1"};
constexpr KernelDesc kSpecialized = {
    .name = "increment", .specialized = kWidth, .num_specialized = 1, .specialize_group = true};

class KernelTableTest : public ::testing::Test {
 protected:
  void SetUp() override { add_kernels(*control); }
  /// Returns a launch with one matrix of two dimensions and, as its only scalar, `width`.
  static LaunchPlan plan_of(const KernelDesc& kernel, std::int64_t width, std::int64_t stride = 1,
                            std::int64_t size = 8) {
    LaunchPlan plan;
    plan.kernel = &kernel;
    LaunchRegion region;
    region.view.num_dims = 2;
    region.view.sizes = {size, 4};
    region.view.strides = {stride, size * stride};
    plan.regions.push_back(std::move(region));
    plan.scalars.emplace_back(width);
    return plan;
  }
  KernelTable::Found find(const LaunchPlan& plan, const std::array<std::size_t, 3>& group = {16, 4, 1}) {
    return table.find(device, plan, {.group = group});
  }

  std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
  FakeDevice device{control, fake_device_info()};
  KernelTable table;
};

TEST_F(KernelTableTest, EqualArgumentsShareABuild) {
  Kernel* const first = find(plan_of(kSpecialized, 7)).kernel;
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(find(plan_of(kSpecialized, 7)).kernel, first);
  EXPECT_NE(find(plan_of(kSpecialized, 9)).kernel, first);
  EXPECT_NE(find(plan_of(kSpecialized, 7), {8, 8, 1}).kernel, first);
  EXPECT_EQ(control->build_options().size(), 3U);
}

TEST_F(KernelTableTest, AnotherDescriptionAtTheAddressOfAnUnloadedOneHasItsOwnBuild) {
  KernelDesc desc = kPlain;
  const KernelDesc kept = kPlain;
  (void)find(plan_of(desc, 7));
  Kernel* const of_kept = find(plan_of(kept, 7)).kernel;
  desc.options = "-DX=2";
  KernelTable::note_unloaded_code();
  (void)find(plan_of(desc, 7));
  ASSERT_EQ(control->build_options().size(), 3U);
  EXPECT_THAT(control->build_options().back(), ::testing::HasSubstr("-DX=2"));
  EXPECT_EQ(find(plan_of(kept, 7)).kernel, of_kept);
  EXPECT_EQ(control->build_options().size(), 3U);
}

TEST_F(KernelTableTest, EachStageHasABuildOfItsOwn) {
  constexpr KernelDesc kFold = {.name = "increment", .lanes = Lanes::Neighbours, .num_stages = 2};
  const WorkShape shape{{64, 1, 1}, {1, 1, 1}, 64, 8};
  Kernel* const first = table.find(device, plan_of(kFold, 7), shape, 1).kernel;
  EXPECT_NE(table.find(device, plan_of(kFold, 7), shape, 2).kernel, first);
  EXPECT_EQ(table.find(device, plan_of(kFold, 9), shape, 1).kernel, first);
  const std::string all = " -DPB_INDEX=int -DPB_UNIT_STRIDE=1 -DPB_LANES=64 -DPB_GROUP_ITEMS=64";
  EXPECT_THAT(control->build_options(), ElementsAre(all + " -DPB_STAGE=1 -DPB_RECORDS=8 -DPB_FOLD_GROUPS=8",
                                                    all + " -DPB_STAGE=2 -DPB_RECORDS=8"));
}

TEST_F(KernelTableTest, RoundsWithKeptCellsAreAConstantOfABuild) {
  constexpr KernelDesc kKept = {.name = "increment", .lanes = Lanes::Neighbours, .kept_length = 0};
  const WorkShape shape{{64, 1, 1}, {1, 1, 1}, 32, 1, 8};
  static_cast<void>(table.find(device, plan_of(kKept, 7), shape, 0));
  EXPECT_THAT(control->build_options(), ElementsAre(" -DPB_INDEX=int -DPB_UNIT_STRIDE=1 -DPB_LANES=32 "
                                                    "-DPB_GROUP_ITEMS=64 -DPB_KEPT_ROUNDS=8"));
}

TEST_F(KernelTableTest, BlocksOfRoundsAreConstantsOfABuild) {
  constexpr KernelDesc kBlocks = {.name = "increment", .block_loops = {0, 1}, .block_bytes = 4, .num_panels = 1};
  LaunchPlan plan = plan_of(kBlocks, 7);
  plan.panels = {{{4, {{{1, 0, 0}, 1}, {{0, 0, 0}, kBlockExtent}}}, 0}};
  WorkShape shape{{4, 2, 1}, {2, 8, 1}};
  shape.block_rounds = 3;
  static_cast<void>(table.find(device, plan, shape, 0));
  EXPECT_THAT(control->build_options(),
              ElementsAre(" -DPB_INDEX=int -DPB_UNIT_STRIDE=1 -DPB_GROUP0=4 -DPB_GROUP1=2 -DPB_GROUP2=1 -DPB_ITEMS0=2 "
                          "-DPB_ITEMS1=8 -DPB_GROUP_ITEMS=8 -DPB_BLOCK_ROUNDS=3 -DPB_BLOCK_STAGES=1 -DPB_PANEL0=36"));
}

TEST_F(KernelTableTest, RangesOfRoundsAreConstantsOfTwoBuilds) {
  constexpr KernelDesc kBlocks = {.name = "increment",
                                  .lanes = Lanes::Neighbours,
                                  .num_stages = 2,
                                  .block_loops = {0, 1},
                                  .block_bytes = 4,
                                  .has_block_parts = true};
  WorkShape shape{{4, 2, 1}, {2, 8, 1}};
  shape.block_rounds = 3;
  shape.block_parts = 5;
  static_cast<void>(table.find(device, plan_of(kBlocks, 7), shape, 1));
  WorkShape last{{32, 1, 1}, {1, 1, 1}};
  last.block_rounds = 1;
  last.block_parts = 5;
  last.part_lanes = 4;
  static_cast<void>(table.find(device, plan_of(kBlocks, 7), last, 2));
  EXPECT_THAT(control->build_options(),
              ElementsAre(" -DPB_INDEX=int -DPB_UNIT_STRIDE=1 -DPB_GROUP0=4 -DPB_GROUP1=2 -DPB_GROUP2=1 -DPB_ITEMS0=2 "
                          "-DPB_ITEMS1=8 -DPB_GROUP_ITEMS=8 -DPB_BLOCK_ROUNDS=3 -DPB_BLOCK_STAGES=1 -DPB_STAGE=1 "
                          "-DPB_RECORDS=5",
                          " -DPB_INDEX=int -DPB_UNIT_STRIDE=1 -DPB_GROUP0=32 -DPB_GROUP1=1 -DPB_GROUP2=1 "
                          "-DPB_GROUP_ITEMS=32 -DPB_BLOCK_ROUNDS=1 -DPB_BLOCK_STAGES=1 -DPB_PART_LANES=4 -DPB_STAGE=2 "
                          "-DPB_RECORDS=5"));
}

TEST_F(KernelTableTest, WhatIsNotSpecializedHasNoBuildOfItsOwn) {
  Kernel* const first = find(plan_of(kPlain, 7)).kernel;
  EXPECT_EQ(find(plan_of(kPlain, 9), {8, 8, 1}).kernel, first);
  EXPECT_THAT(control->build_options(), ElementsAre("-DX=1 -DPB_INDEX=int -DPB_UNIT_STRIDE=1"));
}

TEST_F(KernelTableTest, OptionsTellStridesIndicesGroupAndScalars) {
  static_cast<void>(find(plan_of(kSpecialized, 7)));
  static_cast<void>(find(plan_of(kPlain, 7, 2)));
  static_cast<void>(find(plan_of(kPlain, 7, 1, INT32_MAX / 5)));
  static_cast<void>(find(plan_of(kPlain, 7, 1, INT32_MAX / 6 - 1)));
  EXPECT_THAT(control->build_options(),
              ElementsAre(" -DPB_INDEX=int -DPB_UNIT_STRIDE=1 -DPB_GROUP0=16 -DPB_GROUP1=4 -DPB_GROUP2=1 -DPB_KWIDTH=7",
                          "-DX=1 -DPB_INDEX=int", "-DX=1 -DPB_INDEX=long -DPB_UNIT_STRIDE=1",
                          "-DX=1 -DPB_INDEX=int -DPB_UNIT_STRIDE=1"))
      << "indices are 64-bit numbers if a sum of products with them may pass 2^31";
}

TEST_F(KernelTableTest, InstancesOfAWorkItemAreConstantsOfABuild) {
  Kernel* const one = find(plan_of(kPlain, 7)).kernel;
  const auto with_items = [&](const std::array<std::size_t, 3>& items) {
    return table.find(device, plan_of(kPlain, 7), {.group = {8, 8, 1}, .items = items}).kernel;
  };
  EXPECT_EQ(with_items({1, 1, 1}), one);
  Kernel* const many = with_items({2, 1, 4});
  EXPECT_NE(many, one);
  EXPECT_EQ(with_items({2, 1, 4}), many);
  EXPECT_THAT(control->build_options().back(), ::testing::EndsWith(" -DPB_ITEMS0=2 -DPB_ITEMS2=4"));
}

TEST_F(KernelTableTest, LongLoopsGetNoConstantBounds) {
  static_cast<void>(find(plan_of(kSpecialized, kMaxUnrolled)));
  Kernel* const any_width = find(plan_of(kSpecialized, kMaxUnrolled + 1)).kernel;
  EXPECT_EQ(find(plan_of(kSpecialized, kMaxUnrolled + 2)).kernel, any_width);
  ASSERT_EQ(control->build_options().size(), 2U);
  EXPECT_THAT(control->build_options()[0], ::testing::HasSubstr("-DPB_KWIDTH=512"));
  EXPECT_THAT(control->build_options()[1], ::testing::Not(::testing::HasSubstr("PB_KWIDTH")));
}

TEST_F(KernelTableTest, NewValuesGetTheGenericBuildWhenThereAreManyVariants) {
  Kernel* const first = find(plan_of(kSpecialized, 0)).kernel;
  for (int i = 1; i < kMaxVariants; ++i) EXPECT_FALSE(find(plan_of(kSpecialized, i)).is_generic);
  const KernelTable::Found generic = find(plan_of(kSpecialized, kMaxVariants));
  EXPECT_TRUE(generic.is_generic);
  EXPECT_EQ(find(plan_of(kSpecialized, kMaxVariants + 1)).kernel, generic.kernel);
  EXPECT_EQ(find(plan_of(kSpecialized, 0)).kernel, first) << "known variants stay in use";
  ASSERT_EQ(control->build_options().size(), static_cast<std::size_t>(kMaxVariants) + 1);
  EXPECT_EQ(control->build_options().back(), " -DPB_INDEX=long");
}

TEST_F(KernelTableTest, ARejectedKernelIsNotBuiltAgain) {
  control->inject(FakeOperation::Build, 0, FakeFault::Refuse);
  const KernelTable::Found first = find(plan_of(kSpecialized, 7));
  EXPECT_EQ(first.kernel, nullptr);
  ASSERT_NE(first.new_log, nullptr);
  EXPECT_EQ(*first.new_log, "injected build failure");
  const KernelTable::Found again = find(plan_of(kSpecialized, 9));
  EXPECT_EQ(again.kernel, nullptr);
  EXPECT_EQ(again.new_log, nullptr) << "its log was told";
  EXPECT_NE(find(plan_of(kPlain, 7)).kernel, nullptr) << "another kernel may be built";
  table.clear();
  EXPECT_NE(find(plan_of(kSpecialized, 7)).kernel, nullptr);
}

TEST(ClampGroup, HalvesTheLargestDimensionsUntilTheGroupFits) {
  DeviceInfo info;
  info.max_group_size = 1024;
  info.max_group_shape = {1024, 1024, 64};
  using Group = std::array<std::size_t, 3>;
  EXPECT_EQ(clamp_group({16, 16, 1}, info, 256), (Group{16, 16, 1}));
  EXPECT_EQ(clamp_group({64, 16, 1}, info, 256), (Group{16, 16, 1}));
  EXPECT_EQ(clamp_group({16, 64, 1}, info, 512), (Group{16, 32, 1}));
  EXPECT_EQ(clamp_group({1, 1, 100}, info, 1024), (Group{1, 1, 64})) << "the device's limit of this dimension";
  EXPECT_EQ(clamp_group({0, 5, 5}, info, 0), (Group{1, 1, 1}));
  EXPECT_EQ(clamp_group({4096, 1, 1}, info, 4096), (Group{1024, 1, 1})) << "the device's limit of all dimensions";
}

}  // namespace
}  // namespace pbrt::gpu
