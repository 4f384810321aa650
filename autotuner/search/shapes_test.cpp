// SPDX-License-Identifier: MIT
// Searches that serve cases of different shapes, in a world in which a formula says what a run takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "autotuner/search/search.h"
#include "autotuner/space/mutators.h"
#include "autotuner/testing/synthetic_world.h"
#include "runtime/config/random_configuration.h"
#include "runtime/config/test_program.h"

namespace pbtune {
namespace {

constexpr int kSite = 0, kGroup = 4;

/// A wide and a tall product of the same largest size: each wants work-groups of its own shape.
class ShapesTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kN = 4096;
  using Sizes = std::array<std::int64_t, 4>;  // the largest, m, k, n
  static constexpr Sizes kWide{kN, 8, kN, kN}, kTall{kN, kN, kN, 8};

  static double group_ns(const double* group, double width, double height) {
    if (group[0] == 0 || group[1] == 0) return 8e6;  // what the program chooses
    return 1e6 * (1 + 0.3 * (std::fabs(std::log2(group[0] / width)) + std::fabs(std::log2(group[1] / height))));
  }
  [[nodiscard]] double case_ns(const Configuration& configuration, const Sizes& sizes) const {
    const pbrt::Level& level = configuration.sites[kSite].level_for(sizes);
    if (level.alternative == 0) return 40e6;
    const double* group = configuration.tunables[kGroup].data() + std::ptrdiff_t{2} * level.schedule;
    return sizes == kWide ? group_ns(group, 256, 1) : group_ns(group, 1, 256);
  }
  [[nodiscard]] double mean_ns(const Configuration& configuration) const {
    return std::sqrt(case_ns(configuration, kWide) * case_ns(configuration, kTall));
  }
  /// The least mean that a configuration with one schedule can have.
  [[nodiscard]] double best_single_ns() const {
    Configuration one = pbrt::default_configuration(index);
    one.sites[kSite].levels = {{0, 1}};
    double least = HUGE_VAL;
    for (double width = 1; width <= 1024; width *= 2)
      for (double height = 1; height * width <= 1024; height *= 2) {
        one.tunables[kGroup] = {width, height};
        least = std::min(least, mean_ns(one));
      }
    return least;
  }

  [[nodiscard]] SpaceOptions space_options() const {
    SpaceOptions out;
    out.has_device = true;
    out.max_threads = 2;
    out.target_n = kN;
    out.measured = "Product";
    out.cases = {{{"m", 8}, {"n", kN}}, {{"m", kN}, {"n", 8}}};
    return out;
  }
  [[nodiscard]] Configuration found(const SpaceOptions& options, std::uint64_t seed) const {
    testing::SyntheticWorld world(index, seed);
    world.noise = 0.01;
    world.true_time = [this](const Configuration& configuration) { return mean_ns(configuration); };
    world.reported = {{kSite, 1}};
    const Space space(index, options);
    SearchOptions search;
    search.sizes = {kN};
    search.budget_s = 60;
    search.seed = seed;
    return Search(space, search, world.evaluator(), {}, {}).run().best;
  }

  pbrt::TrainingInfo info = pbrt::testing::product_program();
  InfoIndex index{info};
};

TEST_F(ShapesTest, OneConfigurationServesTwoShapes) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Configuration best = found(space_options(), seed);
    EXPECT_EQ(pbrt::find_fault(index, best), "");
    EXPECT_TRUE(best.sites[kSite].tests_variables()) << seed;
    EXPECT_GE(num_schedules(index, best, kSite), 2) << seed;
    EXPECT_LT(mean_ns(best), 0.8 * best_single_ns()) << seed;
  }
}

TEST_F(ShapesTest, CasesOfOneShapeTestTheLargestSizeAlone) {
  SpaceOptions alike = space_options();
  alike.cases = {{{"m", 100}, {"k", 50}, {"n", 200}}, {{"m", 1000}, {"k", 500}, {"n", 2000}}};
  SpaceOptions single = space_options();
  single.cases = {{{"m", 8}}};
  const auto cuts = [&](const SpaceOptions& options) { return Space(index, options).size_cuts(info.transforms[0]); };
  ASSERT_EQ(cuts(alike).size(), 1U);
  EXPECT_EQ(cuts(alike)[0].by, 0);
  EXPECT_EQ(cuts(alike)[0].lo, 200);
  EXPECT_EQ(cuts(alike)[0].hi, 2000);
  EXPECT_TRUE(cuts(single).empty());
  ASSERT_EQ(cuts(space_options()).size(), 2U);
  EXPECT_EQ(cuts(space_options())[0].by, 1);
  EXPECT_EQ(cuts(space_options())[1].by, 3);
  const Configuration best = found(single, 1);
  EXPECT_FALSE(best.sites[kSite].tests_variables());
  EXPECT_EQ(num_schedules(index, best, kSite), 1);
}

TEST_F(ShapesTest, MutatorsKeepConfigurationsValid) {
  const Space space(index, space_options());
  const std::vector<Mutator> mutators = make_mutators(space);
  pbrt::Rng rng(7);
  Configuration configuration = space.default_configuration();
  int most_schedules = 1, num_reached = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto which = static_cast<std::size_t>(rng.uniform_int(0, std::ssize(mutators) - 1));
    Configuration changed = configuration;
    if (!mutators[which].apply(changed, rng, kN)) continue;
    ASSERT_EQ(pbrt::find_fault(index, changed), "") << mutators[which].name;
    for (int schedule = 0; schedule < num_schedules(index, changed, kSite); ++schedule) {
      const std::vector<pbrt::Level>& levels = changed.sites[kSite].levels;
      ASSERT_TRUE(
          std::any_of(levels.begin(), levels.end(), [&](const auto& level) { return level.schedule == schedule; }))
          << mutators[which].name << " leaves a schedule that no level names";
    }
    configuration = changed;
    most_schedules = std::max(most_schedules, num_schedules(index, changed, kSite));
    num_reached += changed.sites[kSite].tests_variables() ? 1 : 0;
  }
  EXPECT_EQ(most_schedules, 4);
  EXPECT_GT(num_reached, 100);
}

TEST_F(ShapesTest, EditsOfSelectorsKeepWhatTestsSizeVariables) {
  const Selector low{{{0, 0}, {100, 1}}};
  const Selector high{{{0, 1}, {500, 0}, {8, 1, 0, 1}}};
  EXPECT_EQ(graft(low, high, 200), (Selector{{{0, 0}, {100, 1}, {500, 0}, {8, 1, 0, 1}}}));
  Selector selector{{{0, 0}, {8, 1, 0, 1}, {300, 1}, {16, 0, 0, 1}}};
  EXPECT_FALSE(insert_level(selector, {16, 1, 0, 1}));
  EXPECT_TRUE(insert_level(selector, {12, 1, 0, 1}));
  EXPECT_TRUE(insert_level(selector, {4, 1, 0, 1}));
  EXPECT_TRUE(insert_level(selector, {200, 0}));
  EXPECT_TRUE(insert_level(selector, {2, 0, 0, 3}));
  EXPECT_EQ(
      selector,
      (Selector{{{0, 0}, {200, 0}, {4, 1, 0, 1}, {8, 1, 0, 1}, {12, 1, 0, 1}, {300, 1}, {16, 0, 0, 1}, {2, 0, 0, 3}}}));
  simplify(selector);
  EXPECT_EQ(selector, (Selector{{{0, 0}, {4, 1, 0, 1}, {300, 1}, {16, 0, 0, 1}, {2, 0, 0, 3}}}));
}

TEST_F(ShapesTest, LevelsForCasesCanBeTakenBack) {
  const Space space(index, space_options());
  Configuration configuration = space.default_configuration();
  pbrt::set_num_schedules(index, configuration, kSite, 2);
  configuration.tunables[kGroup] = {256, 1, 1, 256};
  configuration.sites[kSite].levels = {{0, 1}, {100, 1, 1, 1}};
  const auto names = space.reversions(configuration, kN);
  const auto without = std::find_if(names.begin(), names.end(), [](const NamedConfiguration& one) {
    return one.name == "Product without its choice where m is at least 100";
  });
  ASSERT_NE(without, names.end());
  EXPECT_EQ(without->configuration.sites[kSite], (Selector{{{0, 1}}}));
  EXPECT_EQ(without->configuration.tunables[kGroup], (std::vector<double>{256, 1}));
  for (const NamedConfiguration& one : names) EXPECT_EQ(pbrt::find_fault(index, one.configuration), "") << one.name;
  for (const NamedConfiguration& one : space.plainer({"found", configuration}, {}))
    EXPECT_EQ(pbrt::find_fault(index, one.configuration), "") << one.name;
  configuration.sites[kSite].levels = {{0, 1, 1}};
  space.forget_unused(configuration);
  EXPECT_EQ(configuration.tunables[kGroup], (std::vector<double>{1, 256}));
}

}  // namespace
}  // namespace pbtune
