// SPDX-License-Identifier: MIT
// How the program of each target is run.
#include "autotuner/tune/measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autotuner/testing/bins_world.h"

namespace pbtune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TuneOptions of_main() {
  TuneOptions out;
  out.run.program = "prog";
  out.run.cases[0].sizes = {{"KWIDTH", 7}, {"depth", 3}};
  out.run.given = {{"By", "2"}};
  out.run.cases[0].inputs = {"/in.txt"};
  out.run.seed = 5;
  return out;
}

TEST(MeasureOptionsOf, AnInstanceForABinGetsOnlyWhatItKnows) {
  const testing::BinsWorld world;
  const MeasureOptions bin = measure_options_of(of_main(), world.info, world.targets, {0, 0, 0}, 48);
  EXPECT_THAT(bin.command, ElementsAre("prog", "--transform", "ConvolveRows"));
  EXPECT_THAT(bin.sizes, ElementsAre(Pair("KWIDTH", 7)));
  EXPECT_THAT(bin.given, IsEmpty());
  EXPECT_THAT(bin.files, IsEmpty());
  const MeasureOptions main = measure_options_of(of_main(), world.info, world.targets, {2, 0, 0}, 48);
  EXPECT_THAT(main.command, ElementsAre("prog", "--transform", "SeparableConvolution"));
  EXPECT_EQ(main.sizes.size(), 2U);
  EXPECT_THAT(main.given, ElementsAre(Pair("By", "2")));
  EXPECT_THAT(main.files, ElementsAre("/in.txt"));
}

TEST(MeasureOptionsOf, AProgramWithoutBinsIsRunAsThePersonSays) {
  const pbrt::TrainingInfo info = testing::synthetic_program();
  const MeasureOptions how = measure_options_of(of_main(), info, targets_of(info), {}, 48);
  EXPECT_THAT(how.command, ElementsAre("prog"));
  EXPECT_EQ(how.sizes.size(), 2U);
  EXPECT_THAT(how.files, ElementsAre("/in.txt"));
}

TEST(MeasureOptionsOf, VariantsHaveSeedsOfTheirOwn) {
  const testing::BinsWorld world;
  EXPECT_EQ(measure_options_of(of_main(), world.info, world.targets, {0, 0, 0}, 48).seed, 5U);
  EXPECT_EQ(measure_options_of(of_main(), world.info, world.targets, {0, 0, 3}, 48).seed, 8U);
}

TEST(MeasureOptionsOf, PatienceIsAShareOfTheBudget) {
  const testing::BinsWorld world;
  const auto with_budget = [&](double budget_s) {
    return measure_options_of(of_main(), world.info, world.targets, {}, budget_s);
  };
  EXPECT_DOUBLE_EQ(with_budget(100).patience_s, 30);
  EXPECT_DOUBLE_EQ(with_budget(100).last_patience_s, 50) << "where nothing else can help";
  EXPECT_DOUBLE_EQ(with_budget(10).patience_s, 5) << "some seconds at the least";
  EXPECT_DOUBLE_EQ(with_budget(2).patience_s, 2) << "but no more than there are";
  EXPECT_DOUBLE_EQ(with_budget(2).grace_s, 0.4);
  EXPECT_DOUBLE_EQ(with_budget(100).grace_s, MeasureOptions().grace_s);
}

TEST(TuningTargets, TellMainFromBins) {
  const testing::BinsWorld world;
  ASSERT_EQ(world.targets.size(), 3U);
  EXPECT_TRUE(has_bins(world.targets));
  EXPECT_TRUE(is_called_by_main(world.targets, 1));
  EXPECT_FALSE(is_called_by_main(world.targets, 2));
  EXPECT_FALSE(is_main_of_bins(world.targets, 1));
  EXPECT_TRUE(is_main_of_bins(world.targets, 2));
  const std::vector<Target> lone = targets_of(testing::synthetic_program());
  EXPECT_FALSE(has_bins(lone));
  EXPECT_FALSE(is_main_of_bins(lone, 0));
}

}  // namespace
}  // namespace pbtune
