// SPDX-License-Identifier: MIT
// Variable accuracy: a candidate that misses its target never wins, bins are tuned one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "autotuner/search.h"
#include "autotuner/targets.h"

namespace pbtune {
namespace {

using ::testing::ElementsAre;

pbrt::TransformInfo instance(int bin, double target, bool higher_is_better) {
  pbrt::TransformInfo out;
  out.name = "Solve<bin " + std::to_string(bin) + ">";
  out.template_name = "Solve";
  out.accuracy = {true, true, target, "Digits", higher_is_better};
  out.calls = {"Step"};
  out.sites = {{"Slow|Fast", {{"Slow", {pbrt::On::Cpu}, 1, ""}, {"Fast", {pbrt::On::Cpu}, 2, ""}}}};
  out.tunables = {{"sweeps", pbrt::TunableType::Int, 1, 1000, {1}, pbrt::TunableRole::Accuracy, true, 1, {}}};
  return out;
}

/// Three bins; bin 2 calls bin 1.
pbrt::TrainingInfo program(bool higher_is_better = true) {
  pbrt::TrainingInfo info;
  info.program = "solve";
  info.main = "Solve<bin 0>";
  info.global = pbrt::standard_globals();
  for (int bin = 0; bin < 3; ++bin)
    info.transforms.push_back(instance(bin, higher_is_better ? 2.0 * bin + 2 : 0.1 * bin + 0.1, higher_is_better));
  info.transforms[2].calls.emplace_back("Solve<bin 1>");
  pbrt::TransformInfo step;
  step.name = step.template_name = "Step";
  info.transforms.push_back(step);
  step.name = step.template_name = "Digits";
  info.transforms.push_back(step);
  return info;
}

/// Sweeps of Fast bring 0.02 digits each, those of Slow 0.1; a sweep of Slow costs ten times as much.
class World {
 public:
  World(const InfoIndex& index, std::string transform, double target, bool is_negated)
      : index_(index), transform_(std::move(transform)), target_(target), is_negated_(is_negated) {}

  Evaluator evaluator() {
    Evaluator out;
    out.prepare = [this](std::int64_t n, const Configuration*) {
      n_ = n;
      return Prepared{PrepareStatus::Ready, 0, ""};
    };
    out.run = [this](const Configuration& configuration, const RunSpec& spec) { return run(configuration, spec); };
    out.elapsed_s = [this] { return elapsed_s_; };
    return out;
  }

  [[nodiscard]] double digits(const Configuration& configuration) const {
    return sweeps(configuration) * (is_fast(configuration) ? 0.02 : 0.1);
  }
  [[nodiscard]] double sweeps(const Configuration& configuration) const {
    const auto id = static_cast<std::size_t>(index_.find_tunable(transform_, "sweeps"));
    return configuration.tunables[id][static_cast<std::size_t>(bucket_of(n_))];
  }
  [[nodiscard]] bool is_fast(const Configuration& configuration) const {
    return configuration.sites[static_cast<std::size_t>(index_.find_site(transform_, "Slow|Fast"))].select(n_) == 1;
  }
  double confirmed_digits = 0;  ///< what other inputs ask for
  bool confirms_fast = true;

 private:
  Outcome run(const Configuration& configuration, const RunSpec& spec) {
    Outcome out;
    const double found = digits(configuration);
    bool is_met = found >= target_;
    if (spec.is_confirmation) is_met = found >= confirmed_digits && (confirms_fast || !is_fast(configuration));
    out.kind = is_met ? OutcomeKind::Ok : OutcomeKind::AccuracyMissed;
    out.accuracy = is_negated_ ? -found : found;
    for (int i = 0; i < spec.trials; ++i)
      out.times_ns.push_back(1e4 * sweeps(configuration) * (is_fast(configuration) ? 1 : 10));
    elapsed_s_ += 2e-3 * spec.trials;
    return out;
  }

  const InfoIndex& index_;
  std::string transform_;
  double target_;
  bool is_negated_;
  double elapsed_s_ = 0;
  std::int64_t n_ = 1;
};

class Accuracy : public ::testing::Test {
 protected:
  SearchResult tune(World& world, const pbrt::AccuracyInfo& accuracy) {
    SpaceOptions options{false, 1, 1, 512};
    options.transforms = {"Solve<bin 1>"};
    options.measured = "Solve<bin 1>";
    options.accuracy = accuracy;
    const Space space(index, options);
    SearchOptions search;
    search.sizes = {128, 512};
    search.budget_s = 20;
    return Search(space, search, world.evaluator(), {}).run();
  }

  pbrt::TrainingInfo info = program();
  InfoIndex index{info};
};

TEST_F(Accuracy, FindsTheFastestThatReachesTheTarget) {
  World world(index, "Solve<bin 1>", 4, false);
  const SearchResult result = tune(world, info.transforms[1].accuracy);
  EXPECT_TRUE(result.meets_accuracy);
  EXPECT_TRUE(world.is_fast(result.best));
  EXPECT_GE(world.digits(result.best), 4);
  EXPECT_LE(world.sweeps(result.best), 220);
}

TEST_F(Accuracy, LessMayBeBetter) {
  World world(index, "Solve<bin 1>", 4, true);
  const SearchResult result = tune(world, {true, true, -4, "Digits", false});
  EXPECT_TRUE(result.meets_accuracy);
  EXPECT_GE(result.accuracy, 4) << "more is better in results";
}

TEST_F(Accuracy, BelievesOtherInputs) {
  World world(index, "Solve<bin 1>", 4, false);
  world.confirms_fast = false;
  world.confirmed_digits = 5;
  const SearchResult result = tune(world, info.transforms[1].accuracy);
  EXPECT_TRUE(result.meets_accuracy);
  EXPECT_FALSE(world.is_fast(result.best));
  EXPECT_GE(world.digits(result.best), 5);
}

TEST_F(Accuracy, SaysWhenNothingReachesTheTarget) {
  World world(index, "Solve<bin 1>", 1000, false);
  const SearchResult result = tune(world, {true, true, 1000, "Digits", true});
  EXPECT_FALSE(result.meets_accuracy);
  EXPECT_NEAR(result.accuracy, 100, 20) << "the most accurate one that was found";
}

TEST(Targets, GoFromTheMostToTheLeastDemanding) {
  const auto names = [](const pbrt::TrainingInfo& info) {
    std::vector<std::string> out;
    for (const Target& target : targets_of(info)) out.push_back(target.transform);
    return out;
  };
  EXPECT_THAT(names(program()), ElementsAre("Solve<bin 2>", "Solve<bin 1>", "Solve<bin 0>"));
  EXPECT_THAT(names(program(false)), ElementsAre("Solve<bin 0>", "Solve<bin 1>", "Solve<bin 2>"));
  pbrt::TrainingInfo plain = program();
  plain.main = "Step";
  EXPECT_THAT(names(plain), ElementsAre("Step"));
}

TEST(Targets, LeaveAloneWhatEarlierOnesUse) {
  const std::vector<Target> targets = targets_of(program());
  EXPECT_THAT(transforms_tuned_with(targets, 0), ElementsAre("Solve<bin 1>", "Solve<bin 2>", "Step"));
  EXPECT_THAT(transforms_tuned_with(targets, 1), ElementsAre("Solve<bin 1>"));
  EXPECT_THAT(transforms_tuned_with(targets, 2), ElementsAre("Solve<bin 0>"));
}

TEST(Targets, KnowWhatMattersToThem) {
  const pbrt::TrainingInfo info = program();
  const InfoIndex index(info);
  const std::vector<Target> targets = targets_of(info);
  const Configuration before = pbrt::default_configuration(index);
  Configuration after = before;
  after.tunables[static_cast<std::size_t>(index.find_tunable("Solve<bin 1>", "sweeps"))][3] = 9;
  EXPECT_TRUE(is_different_for(targets[0], index, before, after)) << "bin 2 calls bin 1";
  EXPECT_FALSE(is_different_for(targets[2], index, before, after));
  copy_values(index, "Solve<bin 1>", "Solve<bin 0>", after);
  EXPECT_EQ(after.tunables[static_cast<std::size_t>(index.find_tunable("Solve<bin 0>", "sweeps"))][3], 9);
  EXPECT_TRUE(is_different_for(targets[2], index, before, after));
}

TEST(Space, CarriesSizeSpecificValuesUp) {
  const pbrt::TrainingInfo info = program();
  const InfoIndex index(info);
  Configuration configuration = pbrt::default_configuration(index);
  std::vector<double>& values =
      configuration.tunables[static_cast<std::size_t>(index.find_tunable("Solve<bin 0>", "sweeps"))];
  values[4] = 7;
  values[6] = 8;
  carry_up(index, 31, configuration);
  EXPECT_EQ(values[3], 1);
  EXPECT_EQ(values[6], 7);
  EXPECT_EQ(values[31], 7);
}

}  // namespace
}  // namespace pbtune
