// SPDX-License-Identifier: MIT
#include "autotuner/trials/trials.h"

#include <gtest/gtest.h>

#include "autotuner/testing/scripted_world.h"

namespace pbtune {
namespace {

class TrialsTest : public ::testing::Test {
 protected:
  TrialsTest() { EXPECT_EQ(trials.begin_size({1024}).status, PrepareStatus::Ready); }
  Candidate choosing(int alternative) {
    Candidate out;
    out.configuration = world.choosing(alternative);
    return out;
  }

  testing::ScriptedWorld world;
  Trials trials{world.space, world.evaluator(), world.events, world.population};
};

TEST_F(TrialsTest, CollectTheTimesOfAllRuns) {
  Candidate candidate = choosing(0);
  EXPECT_TRUE(trials.measure(candidate, 2, 0));
  EXPECT_TRUE(trials.measure(candidate, 1, 0));
  EXPECT_EQ(candidate.times_ns.size(), 3U);
  EXPECT_EQ(trials.num_measured(), 2);
}

TEST_F(TrialsTest, ARunOfSeveralCasesTakesTheirSumAndNotTheirMean) {
  EXPECT_DOUBLE_EQ(trials.work_s(1e9), 1);
  world.run = [](const Configuration&) {
    Outcome out = testing::ScriptedWorld::ended(10e6);
    out.case_times_ns = {{1e6}, {100e6}};
    return out;
  };
  Candidate candidate = choosing(0);
  EXPECT_TRUE(trials.measure(candidate, 1, 0));
  EXPECT_TRUE(trials.measure(candidate, 1, 0));
  EXPECT_DOUBLE_EQ(trials.work_s(10e6), 0.101);
  EXPECT_EQ(candidate.case_times_ns, (std::vector<Sample>{{1e6, 1e6}, {100e6, 100e6}}));
}

TEST_F(TrialsTest, AWrongResultFailsHoweverFastItIs) {
  world.population.add(testing::ScriptedWorld::timed(world.choosing(0), 1e6));
  bool was_fast = false;
  world.events.on_failed = [&](const Candidate&, const Outcome&, bool is_wrong_but_fast) {
    was_fast = is_wrong_but_fast;
  };
  world.run = [](const Configuration&) { return Outcome{OutcomeKind::Wrong, {1e3}, 0, 0, {}, ""}; };
  Candidate candidate = choosing(1);
  EXPECT_FALSE(trials.measure(candidate, 1, 0));
  EXPECT_TRUE(was_fast);
  EXPECT_TRUE(candidate.times_ns.empty());
}

TEST_F(TrialsTest, AChoiceThatOnlyCrashesIsHopelessAfterTwoRuns) {
  world.run = [&](const Configuration& configuration) {
    if (testing::ScriptedWorld::choice_of(configuration) == 1) return Outcome{OutcomeKind::Crashed, {}, 0, 0, {}, ""};
    Outcome out = testing::ScriptedWorld::ended(1e6);
    for (const SiteGene& gene : world.space.sites())
      out.ran.push_back({gene.id, configuration.sites[static_cast<std::size_t>(gene.id)].select(1024)});
    return out;
  };
  for (int run = 0; run < 2; ++run) {
    for (const int alternative : {0, 1}) {
      EXPECT_FALSE(trials.is_hopeless(world.choosing(alternative)));
      Candidate candidate = choosing(alternative);
      (void)trials.measure(candidate, 1, 0);
    }
  }
  EXPECT_TRUE(trials.is_hopeless(world.choosing(1)));
  EXPECT_FALSE(trials.is_hopeless(world.choosing(0)));
}

}  // namespace
}  // namespace pbtune
