// SPDX-License-Identifier: MIT
#include "autotuner/search/finals.h"

#include <gtest/gtest.h>

#include "autotuner/search/take_back.h"
#include "autotuner/testing/scripted_world.h"

namespace pbtune {
namespace {

class FinalsTest : public ::testing::Test {
 protected:
  FinalsTest() {
    EXPECT_EQ(trials.begin_size(1024, nullptr).status, PrepareStatus::Ready);
    schedule.begin_size(0, 0);
    world.run = [this](const Configuration& configuration) {
      return testing::ScriptedWorld::ended(testing::ScriptedWorld::choice_of(configuration) == 1 ? other_ns : 1e6);
    };
  }
  FinalsContext context() {
    return {world.space, world.options, schedule, world.population,
            standard,    before,        trials,   [](const std::string&) {}};
  }
  /// Runs the finals of a search that measured half the default's time for the other choice, and returns the result.
  SearchResult decide() {
    world.population.add(testing::ScriptedWorld::timed(world.choosing(1), 0.5e6));
    world.population.add(standard);
    SearchResult out;
    Finals(context(), out).decide();
    return out;
  }

  testing::ScriptedWorld world;
  double other_ns = 0.5e6;
  Schedule schedule{world.options, false};
  Trials trials{world.space, world.evaluator(), world.events, world.population};
  Candidate standard = testing::ScriptedWorld::timed(world.choosing(0), 1e6);
  std::vector<NamedConfiguration> before;
};

TEST_F(FinalsTest, ReplaceTheDefaultByWhatIsSurelyFaster) {
  const SearchResult result = decide();
  EXPECT_EQ(result.kept, Kept::Found);
  EXPECT_EQ(testing::ScriptedWorld::choice_of(result.best), 1);
  EXPECT_EQ(result.default_ns, 1e6);
}

TEST_F(FinalsTest, KeepTheDefaultIfTheGainWasLuck) {
  other_ns = 1e6;
  const SearchResult result = decide();
  EXPECT_EQ(result.kept, Kept::Default);
  EXPECT_EQ(result.best, world.space.default_configuration());
}

TEST_F(FinalsTest, KeepWhatTheFileHadIfItIsAsGood) {
  Configuration known = world.choosing(1);
  known.tunables[pbrt::kTunableSequentialCutoff][0] *= 2;
  before.push_back({"the configuration of before", known, true});
  const SearchResult result = decide();
  EXPECT_EQ(result.kept, Kept::Before);
  EXPECT_EQ(result.best, known);
}

TEST_F(FinalsTest, TakeBackWhatBringsNothingAndSayWhatTheRestIsWorth) {
  Candidate winner = testing::ScriptedWorld::timed(world.choosing(1), 0.5e6);
  winner.configuration.tunables[pbrt::kTunableSequentialCutoff][0] *= 2;
  world.population.add(winner);
  const Losses losses = take_back(context(), winner);
  EXPECT_EQ(winner.configuration, world.choosing(1));
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_NEAR(losses[0].second, 2, 0.01);
}

}  // namespace
}  // namespace pbtune
