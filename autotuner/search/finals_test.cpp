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
    EXPECT_EQ(trials.begin_size({1024}).status, PrepareStatus::Ready);
    schedule.begin_size(0, 0);
    world.run = [this](const Configuration& configuration) {
      return testing::ScriptedWorld::ended(testing::ScriptedWorld::choice_of(configuration) == 1 ? other_ns : 1e6);
    };
  }
  FinalsContext context() {
    return {world.space, world.options, schedule, world.population,         standard,
            before,      references,    trials,   [](const std::string&) {}};
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
  /// Evaluates what `world` says, and renews inputs.
  Evaluator evaluator() {
    Evaluator out = world.evaluator();
    out.renew = [this](const Configuration&) {
      ++num_renewals;
      on_renewal();
      return Prepared{PrepareStatus::Ready, 0, ""};
    };
    return out;
  }

  double other_ns = 0.5e6;
  int num_renewals = 0;
  std::function<void()> on_renewal = [] {};
  Schedule schedule{world.options, false};
  Trials trials{world.space, evaluator(), world.events, world.population};
  Candidate standard = testing::ScriptedWorld::timed(world.choosing(0), 1e6);
  std::vector<NamedConfiguration> before;
  References references;
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

TEST_F(FinalsTest, ConfirmWhatTheySayAndOnlyThat) {
  EXPECT_TRUE(decide().is_confirmed);
  other_ns = 1e6;
  EXPECT_TRUE(decide().is_confirmed) << "the default claims nothing";
}

TEST_F(FinalsTest, LeaveAGainUnconfirmedIfTheDefaultIsTooSlowToBeMeasuredAgain) {
  standard.times_ns = {1e12};
  const SearchResult result = decide();
  EXPECT_EQ(result.kept, Kept::Found);
  EXPECT_FALSE(result.is_confirmed);
}

TEST(MakeResult, TheGainIsThatOfThePairsWhereTheMachineDrifts) {
  const testing::ScriptedWorld world;
  Candidate best = testing::ScriptedWorld::timed(world.choosing(1), 0), standard = best;
  best.times_ns = {1e6, 1e6, 1e6, 4e6, 4e6, 4e6, 4e6, 1e6};
  standard.times_ns = {2e6, 20e6, 2e6, 8e6, 8e6, 8e6, 8e6, 2e6};  // a hiccup, with which the medians say 3.2
  const SearchResult result = make_result(best, 1024, standard);
  EXPECT_DOUBLE_EQ(result.best_ns, 2.5e6);
  EXPECT_NEAR(result.default_ns, 5e6, 1);
}

TEST(MakeResult, ACaseIsConfirmedByItsOwnTimes) {
  const testing::ScriptedWorld world;
  Candidate best = testing::ScriptedWorld::timed(world.choosing(1), 1e6), standard = best;
  best.times_ns = standard.times_ns = Sample(8, 2e6);
  best.case_times_ns = {Sample(8, 1e6), Sample(8, 4e6), {}};
  const Sample surely_more{2e6, 4e6, 3e6, 2e6, 4e6, 3e6, 2e6, 4e6};
  standard.case_times_ns = {surely_more, {1e6, 9e6, 2e6, 4e6, 8e6, 1e6, 3e6, 5e6}, {}};
  const SearchResult result = make_result(best, 1024, standard);
  ASSERT_EQ(result.cases.size(), 3U);
  EXPECT_TRUE(result.cases[0].is_confirmed);
  EXPECT_FALSE(result.cases[1].is_confirmed);
  EXPECT_EQ(result.cases[2].best_ns, 0) << "it took no part";
}

TEST_F(FinalsTest, MeasureMoreRoundsForFiguresWhereTheyCostLittle) {
  // A third of the runs are twice as long, so that the ratio is known slowly, but surely below 1.
  const auto run = [this](const Configuration& configuration) {
    const bool is_slow = world.num_runs * 7 % 11 < 4;
    const double time_ns = testing::ScriptedWorld::choice_of(configuration) == 1 ? 1e6 : 5e6;
    return testing::ScriptedWorld::ended(is_slow ? 2 * time_ns : time_ns);
  };
  for (const double budget_s : {1000.0, 0.1}) {
    for (const bool has_figures : {false, true}) {
      world.options.budget_s = budget_s;
      world.run = run;
      std::vector<Candidate> both{testing::ScriptedWorld::timed(world.choosing(1), 0), standard};
      for (Candidate& candidate : both) candidate.times_ns.clear();
      const double end_s = world.elapsed_s + 1000;
      EXPECT_EQ(hold_contest(context(), both, {"", end_s, 0.015, has_figures}), ContestEnd::Proven);
      const std::ptrdiff_t num_rounds = std::ssize(both[0].times_ns);
      EXPECT_EQ(num_rounds, std::ssize(both[1].times_ns));
      if (has_figures && budget_s > 1)
        EXPECT_GT(num_rounds, 64);
      else
        EXPECT_LE(num_rounds, 64);
    }
  }
}

TEST_F(FinalsTest, KeepWhatWasMuchFasterInEachRoundThoughTimeRanOut) {
  // Three rounds fit, which prove a factor of 1.25 and no less.
  for (const double factor : {0.85, 0.95}) {
    other_ns = factor * 1e6;
    world.population.add(testing::ScriptedWorld::timed(world.choosing(1), other_ns));
    SearchResult result = make_result(world.population.best(), 1024, standard);
    Finals(context(), result).confirm(world.elapsed_s);
    EXPECT_EQ(result.kept, factor < 0.9 ? Kept::Found : Kept::Default);
    EXPECT_EQ(result.is_confirmed, result.kept == Kept::Default);
  }
}

TEST(IsProbablyFaster, TwoRoundsShowNothingButALargeFactor) {
  EXPECT_TRUE(is_probably_faster({1, 1}, {1.6, 2}));
  EXPECT_FALSE(is_probably_faster({1, 1}, {1.3, 2}));
  EXPECT_FALSE(is_probably_faster({1}, {5}));
  EXPECT_TRUE(is_probably_faster({1, 1, 1}, {1.3, 1.3, 1.3}));
  EXPECT_FALSE(is_probably_faster({1, 1, 1}, {1.3, 0.9, 5}));
}

TEST_F(FinalsTest, MeasureOtherInputsThanTheSearchDid) {
  // The gain is luck: it is there on the inputs of the search alone.
  num_renewals = 0;
  on_renewal = [this] { other_ns = 1e6; };
  const SearchResult result = decide();
  EXPECT_EQ(num_renewals, 1);
  EXPECT_EQ(result.kept, Kept::Default);
}

TEST_F(FinalsTest, ConfirmAnInterruptedSearchOrKeepTheDefault) {
  for (const bool is_faster : {true, false}) {
    other_ns = is_faster ? 0.5e6 : 1.2e6;
    world.population.add(testing::ScriptedWorld::timed(world.choosing(1), 0.4e6));
    SearchResult result = make_result(world.population.best(), 1024, standard);
    EXPECT_FALSE(result.is_confirmed);
    Finals(context(), result).confirm(world.elapsed_s + 1);
    EXPECT_TRUE(result.is_confirmed);
    EXPECT_EQ(result.kept, is_faster ? Kept::Found : Kept::Default);
    EXPECT_EQ(result.best_ns, is_faster ? 0.5e6 : 1e6);
  }
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
