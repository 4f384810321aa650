// SPDX-License-Identifier: MIT
// Variable accuracy: a candidate that misses its target never wins, bins are tuned one after the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "autotuner/search/search.h"
#include "autotuner/space/tuning_targets.h"

namespace pbtune {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

pbrt::TransformInfo instance(int bin, double target, bool higher_is_better) {
  pbrt::TransformInfo out;
  out.name = "Solve<bin " + std::to_string(bin) + ">";
  out.template_name = "Solve";
  out.accuracy = {true, true, target, "Digits", higher_is_better};
  out.calls = {"Step"};
  out.sites = {{"Slow|Fast", {{"Slow", {pbrt::Version::Cpu}, 1, ""}, {"Fast", {pbrt::Version::Cpu}, 2, ""}}}};
  out.tunables = {{"sweeps", pbrt::TunableType::Int, 1, 1000, {1}, pbrt::TunableRole::Accuracy, true, 1, {}}};
  return out;
}

/// A program with three accuracy bins; bin 2 calls bin 1.
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

/// A program with two rules: sweeps of Fast bring 0.02 digits each, those of Slow 0.1, and a sweep of Slow costs ten
/// times as much.
class World {
 public:
  World(const InfoIndex& index, std::string transform, double target, bool is_negated)
      : index_(index), transform_(std::move(transform)), target_(target), is_negated_(is_negated) {}

  Evaluator evaluator() {
    Evaluator out;
    out.prepare = [this](const PrepareSpec& spec) {
      n_ = spec.n;
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
  double confirmed_digits = 0;  ///< the accuracy that the confirmation on other inputs asks for
  bool confirms_fast = true;
  double ns_per_sweep = 1e4;
  std::set<int> child_limits;  ///< limits of children, as multiples of the fastest accurate time

 private:
  Outcome run(const Configuration& configuration, const RunSpec& spec) {
    Outcome out;
    const double found = digits(configuration);
    bool is_met = found >= target_;
    if (spec.is_confirmation) is_met = found >= confirmed_digits && (confirms_fast || !is_fast(configuration));
    out.kind = is_met ? OutcomeKind::Ok : OutcomeKind::AccuracyMissed;
    out.accuracy = is_negated_ ? -found : found;
    out.ran = {{index_.find_site(transform_, "Slow|Fast"), is_fast(configuration) ? 1 : 0}};
    for (int i = 0; i < spec.trials; ++i)
      out.times_ns.push_back(ns_per_sweep * sweeps(configuration) * (is_fast(configuration) ? 1 : 10));
    elapsed_s_ += 2e-3 * spec.trials;
    const bool is_child = !spec.is_confirmation && !spec.is_side_by_side && spec.what.starts_with("change ");
    for (int factor = 1; is_child && fastest_ns_ > 0 && factor <= 20; ++factor)
      if (std::fabs(spec.limit_ms - (factor * fastest_ns_ * 1e-6 + 1)) < 1e-6) child_limits.insert(factor);
    if (is_met && !spec.is_confirmation)
      fastest_ns_ = fastest_ns_ > 0 ? std::min(fastest_ns_, out.times_ns[0]) : out.times_ns[0];
    return out;
  }

  const InfoIndex& index_;
  std::string transform_;
  double target_;
  bool is_negated_;
  double elapsed_s_ = 0;
  double fastest_ns_ = 0;  ///< the fastest time that was accurate enough; 0: none yet
  std::int64_t n_ = 1;
};

class NoProposals : public Strategy {
 public:
  std::optional<Proposal> propose(const Population&, std::int64_t, const Claim&) override { return std::nullopt; }
};

class Accuracy : public ::testing::Test {
 protected:
  SearchResult tune(World& world, const pbrt::AccuracyInfo& accuracy, std::vector<std::int64_t> sizes = {128, 512},
                    int max_population = 8, std::unique_ptr<Strategy> strategy = nullptr) {
    SpaceOptions options{false, 1, 1, 512};
    options.transforms = {"Solve<bin 1>"};
    options.measured = "Solve<bin 1>";
    options.accuracy = accuracy;
    const Space space(index, options);
    SearchOptions search;
    search.sizes = std::move(sizes);
    search.max_population = max_population;
    search.budget_s = 20;
    return Search(space, search, world.evaluator(), {}, {}, std::move(strategy)).run();
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

TEST_F(Accuracy, ValuesOfEachChoiceAreLoweredToTheTarget) {
  for (pbrt::TransformInfo& transform : info.transforms)
    if (!transform.tunables.empty()) transform.tunables[0].initial = {900};  // 90 digits, or 18
  const double asked = 4.2;                                                  // on other inputs
  World world(index, "Solve<bin 1>", 4, false);
  world.confirmed_digits = asked;
  const SearchResult result = tune(world, info.transforms[1].accuracy, {512}, 8, std::make_unique<NoProposals>());
  EXPECT_TRUE(result.meets_accuracy);
  EXPECT_TRUE(world.is_fast(result.best));
  EXPECT_GE(world.digits(result.best), asked);
  EXPECT_LE(world.sweeps(result.best), 210 / 0.9) << "210 are enough";
}

TEST_F(Accuracy, ChildrenGetNoLimitForColdStarts) {
  World world(index, "Solve<bin 1>", 4, false);
  world.ns_per_sweep = 1e6;  // far above the least limit
  EXPECT_TRUE(tune(world, info.transforms[1].accuracy, {512}, 64).meets_accuracy);
  EXPECT_THAT(world.child_limits, Contains(4)) << "where the parent is not accurate enough; else 1.8 times its time";
  EXPECT_THAT(world.child_limits, Not(Contains(12))) << "the limit of starting points";
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

TEST(Targets, OfAMainWithoutBinsAreFirstTheBinsThatItCalls) {
  pbrt::TrainingInfo info = program();
  pbrt::TransformInfo other = instance(0, 3, true);
  other.name = "Other<bin 0>";
  other.template_name = "Other";
  other.calls = {"Solve<bin 0>"};
  info.transforms.push_back(other);
  pbrt::TransformInfo use;
  use.name = use.template_name = "Use";
  use.calls = {"Solve<bin 0>", "Other<bin 0>", "Step", "Solve<bin 2>", "Use"};
  info.transforms.push_back(use);
  info.main = "Use";
  const std::vector<Target> targets = targets_of(info);
  std::vector<std::string> names;
  for (const Target& target : targets) names.push_back(target.transform);
  EXPECT_THAT(names, ElementsAre("Solve<bin 2>", "Solve<bin 0>", "Other<bin 0>", "Use"));
  EXPECT_TRUE(targets[0].accuracy.has_target);
  EXPECT_FALSE(targets[3].accuracy.has_target);
  EXPECT_THAT(transforms_tuned_with(targets, 2), ElementsAre("Other<bin 0>"));
  EXPECT_THAT(transforms_tuned_with(targets, 3), ElementsAre("Use"));
}

TEST(Targets, KnowWhetherTheMainTransformRecurses) {
  pbrt::TrainingInfo info = program();
  EXPECT_FALSE(is_recursive(info));
  info.transforms[3].calls = {"Digits"};
  info.transforms[4].calls = {"Step"};
  EXPECT_TRUE(is_recursive(info));
  info.main = "Digits";
  EXPECT_TRUE(is_recursive(info));
  info.transforms[3].calls = {};
  EXPECT_FALSE(is_recursive(info));
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

TEST(Space, CarriesSizeSpecificValuesOfWhatIsVariedUp) {
  const pbrt::TrainingInfo info = program();
  const InfoIndex index(info);
  SpaceOptions options;
  options.transforms = {"Solve<bin 1>"};
  const Space space(index, options);
  Configuration configuration = pbrt::default_configuration(index);
  const auto sweeps = [&](const char* transform) -> std::vector<double>& {
    return configuration.tunables[static_cast<std::size_t>(index.find_tunable(transform, "sweeps"))];
  };
  for (const char* transform : {"Solve<bin 0>", "Solve<bin 1>"}) {
    sweeps(transform)[4] = 7;
    sweeps(transform)[6] = 8;
  }
  space.carry_up(31, configuration);
  EXPECT_EQ(sweeps("Solve<bin 1>")[3], 1);
  EXPECT_EQ(sweeps("Solve<bin 1>")[6], 7);
  EXPECT_EQ(sweeps("Solve<bin 1>")[31], 7);
  EXPECT_EQ(sweeps("Solve<bin 0>")[6], 8) << "it was tuned before, and stays";
}

}  // namespace
}  // namespace pbtune
