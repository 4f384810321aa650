// SPDX-License-Identifier: MIT
// Tests of the choice of a launch's kernel: which launches share one, and what sets them apart.
#include "runtime/gpu/manager/choice/kernel_chooser.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/manager/manual_manager.h"

namespace pbrt::gpu {
namespace {

constexpr SpecializedScalar kWidth[] = {{"PB_WIDTH", 0}};
constexpr KernelDesc kByWidth = {.name = "add_step",
                                 .source = "",
                                 .num_regions = 2,
                                 .num_scalars = 2,
                                 .num_tiles = 1,
                                 .specialized = kWidth,
                                 .num_specialized = 1,
                                 .fold_length = 0};

class KernelChooserTest : public ::testing::Test {
 protected:
  /// A launch from one matrix of 8 x 4 to another, with a scalar that decides the build and one that does not.
  LaunchPlan plan() {
    LaunchPlan out;
    out.kernel = &kByWidth;
    out.regions.push_back(manager.region_of(in, true, false));
    out.regions.push_back(manager.region_of(written, false, true));
    out.scalars.emplace_back(std::int64_t{3});
    out.scalars.emplace_back(std::int64_t{1});
    out.tiles.push_back({sizeof(int), {{{1, 0, 0}, 5}}});
    out.lo = {0, 0};
    out.extent = {8, 4};
    return out;
  }
  ChoicePtr choose(LaunchPlan plan) { return chooser.choose(plan).choice; }

  ManualManager manager;
  const Matrix2 in = filled(8, 4, 0), written = filled(8, 4, 0);
  KernelChooser chooser{manager.device, manager.statistics};
};

TEST_F(KernelChooserTest, LaunchesThatDifferInNothingThatMattersShareAChoice) {
  const ChoicePtr first = choose(plan());
  ASSERT_NE(first, nullptr);
  ASSERT_EQ(first->stages.size(), 1U);
  LaunchPlan other = plan();
  other.scalars[1] = ScalarArgument(std::int64_t{2});
  other.lo[1] = 1;
  other.regions[0].view.offset += 64;
  EXPECT_EQ(choose(other), first);
  other.regions.front() = manager.region_of(filled(8, 4, 1), true, false);
  EXPECT_EQ(choose(other), first) << "another matrix of the same shape";
}

TEST_F(KernelChooserTest, WhatMayDecideKernelOrShapeSetsThemApart) {
  using Change = std::function<void(LaunchPlan&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"extent", [](LaunchPlan& p) { p.extent[1] = 3; }},
      {"first instance", [](LaunchPlan& p) { p.lo[0] = 2; }},
      {"number of loops", [](LaunchPlan& p) { p.extent.push_back(1); }},
      {"group",
       [](LaunchPlan& p) {
         p.group = {4, 1, 1};
       }},
      {"items",
       [](LaunchPlan& p) {
         p.items = {2, 1, 1};
       }},
      {"margins",
       [](LaunchPlan& p) {
         p.margins = {1, 0, 0};
       }},
      {"lanes", [](LaunchPlan& p) { p.lanes = 2; }},
      {"kept rounds", [](LaunchPlan& p) { p.kept_rounds = 4; }},
      {"instances in blocks",
       [](LaunchPlan& p) {
         p.block_items = {2, 2};
       }},
      {"rounds of blocks", [](LaunchPlan& p) { p.block_rounds = 8; }},
      {"stages of blocks", [](LaunchPlan& p) { p.block_stages = 2; }},
      {"ranges of rounds", [](LaunchPlan& p) { p.block_parts = 4; }},
      {"matrix units", [](LaunchPlan& p) { p.may_use_matrix_units = true; }},
      {"specialised scalar", [](LaunchPlan& p) { p.scalars[0] = ScalarArgument(std::int64_t{4}); }},
      {"sizes", [](LaunchPlan& p) { p.regions[0].view.sizes[0] = 7; }},
      {"strides", [](LaunchPlan& p) { p.regions[1].view.strides[1] = 16; }},
      {"alignment", [](LaunchPlan& p) { p.regions[1].view.offset += 1; }},
      {"64 bits", [](LaunchPlan& p) { p.regions[1].view.offset += std::int64_t{1} << 32; }},
      {"what is touched", [](LaunchPlan& p) { p.regions[0].touched.sizes[1] = 3; }},
      {"versions", [](LaunchPlan& p) { p.regions[0].has_versions = true; }},
      {"tile", [](LaunchPlan& p) { p.tiles[0].dims[0].extent = 6; }},
  };
  LaunchFacts first;
  find_facts(plan(), first);
  for (const auto& [name, change] : changes) {
    LaunchPlan other = plan();
    change(other);
    LaunchFacts facts;
    find_facts(other, facts);
    EXPECT_NE(facts, first) << name;
  }
}

TEST_F(KernelChooserTest, SomeShapesTakeTurnsWithoutNewChoices) {
  std::vector<ChoicePtr> choices;
  const auto wide = [&](std::int32_t width) {
    LaunchPlan out = plan();
    out.extent[0] = width;
    return out;
  };
  for (const std::int32_t width : {1, 2, 3, 4}) choices.push_back(choose(wide(width)));
  for (const std::int32_t width : {1, 2, 3, 4})
    EXPECT_EQ(choose(wide(width)), choices[static_cast<std::size_t>(width - 1)]);
  const ChoicePtr fifth = choose(wide(5));
  EXPECT_EQ(choose(wide(5)), fifth);
  EXPECT_NE(choose(wide(1)), choices[0]) << "the oldest makes room";
  EXPECT_EQ(choose(wide(4)), choices[3]);
}

TEST_F(KernelChooserTest, UnloadedCodeTakesItsChoicesAlong) {
  const ChoicePtr first = choose(plan());
  KernelTable::note_unloaded_code();
  const ChoicePtr second = choose(plan());
  EXPECT_NE(second, first);
  EXPECT_EQ(choose(plan()), second);
}

TEST_F(KernelChooserTest, AReasonIsNoChoice) {
  LaunchPlan too_large = plan();
  too_large.tiles[0].dims[0].extent = std::int64_t{1} << 40;
  for (int i = 0; i < 2; ++i) {
    const KernelChooser::Chosen chosen = chooser.choose(too_large);
    EXPECT_EQ(chosen.choice, nullptr);
    EXPECT_STREQ(chosen.reason_against, "local memory");
  }
}

}  // namespace
}  // namespace pbrt::gpu
