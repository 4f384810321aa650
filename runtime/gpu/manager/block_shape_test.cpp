// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/block_shape.h"

#include <gtest/gtest.h>

namespace pbrt::gpu {
namespace {

using Extents = std::array<std::size_t, 3>;

constexpr KernelDesc kProduct = {.name = "product", .block_loops = {0, 1}, .block_bytes = 4, .num_panels = 2};
constexpr KernelDesc kWide = {.name = "product", .block_loops = {0, 1}, .block_bytes = 8, .num_panels = 2};
constexpr KernelDesc kLayer = {.name = "layer", .block_loops = {0, 2}, .block_bytes = 4, .num_panels = 2};

DeviceInfo device_of(DeviceType type) {
  DeviceInfo out;
  out.type = type;
  out.compute_units = 132;
  out.local_bytes = 49152;
  out.max_group_size = 1024;
  return out;
}

/// A product of `n` columns and `m` rows, with panels of rows of `a` and columns of `b`.
LaunchPlan product_of(std::int32_t n, std::int32_t m, const KernelDesc& kernel = kProduct, int element_bytes = 4) {
  LaunchPlan plan;
  plan.kernel = &kernel;
  plan.extent = {n, m};
  plan.group = plan.items = {0, 0, 0};
  plan.lanes = 0;
  plan.block_rounds = 16;
  plan.panels = {{{element_bytes, {{{0, 0, 0}, kBlockExtent}, {{0, 1, 0}, 1}}}, 1},
                 {{element_bytes, {{{1, 0, 0}, 1}, {{0, 0, 0}, kBlockExtent}}}, 0}};
  return plan;
}

std::optional<WorkShape> on_gpu(const LaunchPlan& plan) { return block_shape_of(plan, device_of(DeviceType::Gpu)); }

TEST(BlockShapes, FillRegistersWhereThereAreEnoughInstances) {
  EXPECT_EQ(on_gpu(product_of(4096, 4096))->items, (Extents{8, 8, 1}));
  EXPECT_EQ(on_gpu(product_of(4096, 4096))->group, (Extents{16, 16, 1}));
  EXPECT_EQ(on_gpu(product_of(4096, 4096))->block_rounds, 16U);
  EXPECT_EQ(on_gpu(product_of(4096, 4096, kWide, 8))->items, (Extents{8, 8, 1}));
  EXPECT_EQ(on_gpu(product_of(4096, 4096, kWide, 8))->group, (Extents{16, 8, 1}));
  EXPECT_EQ(on_gpu(product_of(1024, 1024))->items, (Extents{4, 4, 1}));
  EXPECT_EQ(on_gpu(product_of(512, 512))->items, (Extents{2, 4, 1}));
  EXPECT_EQ(on_gpu(product_of(65536, 64))->items, (Extents{8, 4, 1})) << "half of larger groups would lie outside";
  EXPECT_EQ(on_gpu(product_of(64, 65536))->items, (Extents{4, 8, 1}));
  EXPECT_EQ(on_gpu(product_of(65536, 70))->items, (Extents{8, 8, 1})) << "smaller groups are not filled better";
  EXPECT_EQ(on_gpu(product_of(65536, 31))->items, (Extents{4, 4, 1})) << "most of larger groups would lie outside";
  EXPECT_EQ(on_gpu(product_of(65536, 31))->group, (Extents{8, 8, 1})) << "there are many groups";
  EXPECT_EQ(on_gpu(product_of(16384, 31))->items, (Extents{2, 4, 1})) << "few groups have more work-items";
}

TEST(BlockShapes, AreLeftToLanesElsewhere) {
  EXPECT_FALSE(on_gpu(product_of(64, 64)));
  EXPECT_FALSE(on_gpu(product_of(100000, 8)));
  LaunchPlan plan = product_of(4096, 4096);
  EXPECT_FALSE(block_shape_of(plan, device_of(DeviceType::Cpu)));
  plan.lanes = 1;
  EXPECT_FALSE(on_gpu(plan)) << "a configuration says how many lanes";
  plan = product_of(4096, 4096);
  plan.items = {2, 2, 1};
  EXPECT_FALSE(on_gpu(plan)) << "a configuration says how many instances";
  plan = product_of(4096, 4096);
  plan.block_rounds = 0;
  EXPECT_FALSE(on_gpu(plan)) << "a configuration forbids blocks";
  plan = product_of(4096, 4096);
  constexpr KernelDesc kOther = {.name = "other"};
  plan.kernel = &kOther;
  EXPECT_FALSE(on_gpu(plan)) << "the kernel has no blocks";
}

TEST(BlockShapes, AreThoseOfTheConfiguration) {
  LaunchPlan plan = product_of(100, 100);
  plan.block_items = {3, 5};
  plan.group = {8, 2, 1};
  plan.block_rounds = 7;
  for (const DeviceType type : {DeviceType::Cpu, DeviceType::Gpu}) {
    const auto shape = block_shape_of(plan, device_of(type));
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->items, (Extents{3, 5, 1}));
    EXPECT_EQ(shape->group, (Extents{8, 2, 1}));
    EXPECT_EQ(shape->block_rounds, 7U);
  }
  plan.block_items = {16, 16};
  EXPECT_LE(on_gpu(plan)->items[0] * on_gpu(plan)->items[1], 64U);
  plan.kernel = &kLayer;
  plan.extent = {100, 100, 100};
  plan.block_items = {2, 4};
  plan.group = {8, 4, 2};
  EXPECT_EQ(on_gpu(plan)->items, (Extents{2, 1, 4}));
  EXPECT_EQ(on_gpu(plan)->group, (Extents{8, 4, 2})) << "work-items may stand along the third loop, too";
  plan.group = {0, 0, 0};
  EXPECT_EQ(on_gpu(plan)->group[1], 1U) << "the runtime lets none stand there";
}

/// A layer with windows of 3 x 3 cells, in `batch` pictures.
LaunchPlan layer_of(std::int32_t w, std::int32_t h, std::int32_t features, std::int32_t batch) {
  LaunchPlan plan = product_of(w, features, kLayer);
  plan.extent = {w, h, features, batch};
  plan.panels = {{{4, {{{1, 0, 0}, 3}, {{0, 1, 0}, 3}, {{0, 0, 0}, kBlockExtent}}}, 0},
                 {{4, {{{0, 0, 0}, 3}, {{0, 0, 0}, 3}, {{0, 0, 0}, kBlockExtent}, {{0, 0, 1}, 1}}}, 3}};
  return plan;
}

TEST(BlockShapes, AreSquaresOfWindows) {
  EXPECT_EQ(on_gpu(layer_of(256, 256, 64, 8))->group, (Extents{4, 4, 8}));
  EXPECT_EQ(on_gpu(layer_of(256, 256, 64, 8))->items, (Extents{8, 1, 8}));
  EXPECT_EQ(on_gpu(layer_of(256, 256, 32, 8))->group, (Extents{4, 8, 4}));
  EXPECT_EQ(on_gpu(layer_of(256, 1, 64, 512))->group[1], 1U) << "three quarters of the groups would be empty";
  LaunchPlan without = layer_of(256, 256, 64, 8);
  for (LaunchPanel& panel : without.panels)
    for (TileDim& dim : panel.cells.dims) dim.extent = std::min<std::int64_t>(dim.extent, 1);
  EXPECT_EQ(on_gpu(without)->group[1], 1U) << "neighbours share nothing";
}

TEST(BlockShapes, CountTheGroupsOfAllBatches) {
  EXPECT_EQ(on_gpu(layer_of(32, 4, 64, 200))->items, (Extents{8, 1, 8}));
  EXPECT_NE(on_gpu(layer_of(32, 4, 64, 100))->items, (Extents{8, 1, 8})) << "they do not fill the device";
}

TEST(BlockShapes, CopyAheadWhereTheKernelCan) {
  constexpr KernelDesc kAhead = {
      .name = "product", .block_loops = {0, 1}, .block_bytes = 4, .may_copy_ahead = true, .num_panels = 2};
  LaunchPlan plan = product_of(4096, 4096, kAhead);
  EXPECT_EQ(on_gpu(plan)->block_stages, 2U);
  EXPECT_EQ(on_gpu(plan)->block_rounds, 8U) << "nobody knows how many rounds there are";
  plan.block_rounds = 4;
  EXPECT_EQ(on_gpu(plan)->block_rounds, 4U) << "a configuration wants short blocks";
  plan.block_rounds = 16;
  plan.block_stages = 1;
  EXPECT_EQ(on_gpu(plan)->block_stages, 1U);
  EXPECT_EQ(on_gpu(plan)->block_rounds, 16U);
  plan.block_stages = 2;
  EXPECT_EQ(on_gpu(plan)->block_stages, 2U);
  EXPECT_EQ(on_gpu(plan)->block_rounds, 16U);
  plan.block_items = {4, 4};
  EXPECT_EQ(block_shape_of(plan, device_of(DeviceType::Cpu))->block_stages, 2U);
  plan.block_stages = 0;
  EXPECT_EQ(block_shape_of(plan, device_of(DeviceType::Cpu))->block_stages, 1U);
  plan = product_of(4096, 4096, kAhead);
  plan.panels[0].cells.dims.push_back({{0, 0, 0}, 9});
  EXPECT_EQ(on_gpu(plan)->block_stages, 2U);
  EXPECT_EQ(on_gpu(plan)->block_rounds, 4U) << "registers would not have room for 8 rounds of windows";
  plan.panels[0].cells.dims.back().extent = 16;
  EXPECT_EQ(on_gpu(plan)->block_stages, 2U);
  EXPECT_EQ(on_gpu(plan)->block_rounds, 2U);
  plan.panels[0].cells.dims.back().extent = 49;
  EXPECT_EQ(on_gpu(plan)->block_stages, 1U) << "not even for 2";
  EXPECT_EQ(on_gpu(plan)->block_rounds, 4U);
  plan = product_of(4096, 4096);
  plan.block_stages = 2;
  EXPECT_EQ(on_gpu(plan)->block_stages, 1U) << "the kernel cannot";
}

TEST(BlockShapes, AreLongerWhereThereAreManyAhead) {
  constexpr KernelDesc kAhead = {.name = "product",
                                 .block_loops = {0, 1},
                                 .block_bytes = 4,
                                 .may_copy_ahead = true,
                                 .block_length = 0,
                                 .num_panels = 2};
  const auto rounds_of_blocks = [&](std::int32_t rounds) {
    LaunchPlan plan = product_of(4096, 4096, kAhead);
    plan.block_rounds = 32;
    plan.scalars.push_back(ScalarArgument(rounds));
    return on_gpu(plan)->block_rounds;
  };
  EXPECT_EQ(rounds_of_blocks(4096), 16U);
  EXPECT_EQ(rounds_of_blocks(128), 16U);
  EXPECT_EQ(rounds_of_blocks(127), 8U) << "there would be fewer than 8 blocks";
}

TEST(BlockShapes, SuitMatrixUnits) {
  constexpr KernelDesc kAdds = {.name = "product",
                                .block_loops = {0, 1},
                                .block_bytes = 8,
                                .may_copy_ahead = true,
                                .products = Products::OfDoubles,
                                .num_panels = 2};
  const auto with_units = [](const LaunchPlan& plan) { return block_shape_of(plan, device_of(DeviceType::Gpu), true); };
  LaunchPlan plan = product_of(4096, 4096, kAdds, 8);
  EXPECT_FALSE(with_units(plan)->on_matrix_units) << "a configuration does not want them";
  plan.may_use_matrix_units = true;
  EXPECT_FALSE(on_gpu(plan)->on_matrix_units) << "the device has none";
  ASSERT_TRUE(with_units(plan)->on_matrix_units);
  EXPECT_EQ(with_units(plan)->group, (Extents{8, 16, 1}));
  EXPECT_EQ(with_units(plan)->items, (Extents{16, 4, 1}));
  EXPECT_FALSE(with_group(*with_units(plan), {8, 8, 1}).on_matrix_units) << "a kernel allows smaller groups only";
  plan.block_rounds = 4;
  EXPECT_FALSE(with_units(plan)->on_matrix_units) << "a unit runs 8 rounds";
  plan.block_rounds = 16;
  plan.block_items = {4, 2};
  EXPECT_TRUE(with_units(plan)->on_matrix_units);
  EXPECT_EQ(with_units(plan)->items, (Extents{4, 2, 1}));
  plan.block_items = {3, 2};
  EXPECT_FALSE(with_units(plan)->on_matrix_units) << "a unit has two neighbours of a work-item";
  plan.block_items = {4, 2};
  plan.group = {6, 16, 1};
  EXPECT_FALSE(with_units(plan)->on_matrix_units) << "a warp has 4 x 8 work-items";
}

TEST(BlockShapes, SuitUnitsThatSplitFloats) {
  constexpr KernelDesc kSplits = {.name = "product",
                                  .block_loops = {0, 1},
                                  .block_bytes = 4,
                                  .may_copy_ahead = true,
                                  .products = Products::OfSplitFloats,
                                  .num_panels = 2};
  LaunchPlan plan = product_of(4096, 4096, kSplits);
  EXPECT_EQ(on_gpu(plan)->block_stages, 2U) << "without units they are as others";
  plan.may_use_matrix_units = true;
  const auto shape = block_shape_of(plan, device_of(DeviceType::Gpu), true);
  ASSERT_TRUE(shape && shape->on_matrix_units);
  EXPECT_EQ(shape->items, (Extents{16, 4, 1}));
  EXPECT_EQ(shape->block_stages, 1U);
  EXPECT_EQ(shape->block_rounds, 8U);
  EXPECT_EQ(panel_elements_of(plan, *shape), (std::vector<std::size_t>{8 * (64 + 8), 8 * (128 + 8)}));
}

TEST(BlockShapes, HavePanelsWithPaddedRows) {
  LaunchPlan plan = product_of(100, 100);
  plan.panels[1].cells.dims[0] = {{-2, 0, 0}, 3};
  WorkShape shape;
  shape.group = {4, 8, 1};
  shape.items = {2, 4, 1};
  shape.block_rounds = 5;
  EXPECT_EQ(panel_elements_of(plan, shape), (std::vector<std::size_t>{5 * 36, (3 + 2 * 7 + 3 + 4) * 5}));
  EXPECT_EQ(panel_bytes_of(plan, shape), 5U * 36 * 4 + 480);
}

TEST(BlockShapes, HaveFewerRoundsWhereMemoryIsShort) {
  LaunchPlan plan = product_of(4096, 4096, kWide, 8);
  plan.block_rounds = 64;
  EXPECT_EQ(on_gpu(plan)->block_rounds, 16U);
  plan.panels[0].cells.dims.push_back({{0, 0, 0}, 100});
  EXPECT_FALSE(on_gpu(plan)) << "no block has room";
}

}  // namespace
}  // namespace pbrt::gpu
