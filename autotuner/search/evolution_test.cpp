// SPDX-License-Identifier: MIT
#include "autotuner/search/evolution.h"

#include <gtest/gtest.h>

#include "autotuner/testing/scripted_world.h"

namespace pbtune {
namespace {

TEST(Evolution, ProposesWhatWasClaimedAndTheSameForTheSameSeed) {
  testing::ScriptedWorld world;
  world.population.add(testing::ScriptedWorld::timed(world.choosing(0), 1e6));
  world.population.add(testing::ScriptedWorld::timed(world.choosing(1), 2e6));
  Evolution first(world.space, 7), second(world.space, 7);
  for (int i = 0; i < 50; ++i) {
    std::string claimed;
    const auto claim = [&](const Configuration& configuration) {
      claimed = fingerprint(world.index, configuration);
      return true;
    };
    const auto proposal = first.propose(world.population, 1024, claim);
    ASSERT_TRUE(proposal.has_value());
    EXPECT_EQ(fingerprint(world.index, proposal->configuration), claimed);
    EXPECT_NE(proposal->configuration, world.population.members().at(proposal->parent).configuration);
    const auto again = second.propose(world.population, 1024, claim);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->origin, proposal->origin);
    EXPECT_EQ(again->configuration, proposal->configuration);
  }
}

TEST(Evolution, GivesUpWhereNothingCanBeClaimed) {
  testing::ScriptedWorld world;
  world.population.add(testing::ScriptedWorld::timed(world.choosing(0), 1e6));
  Evolution evolution(world.space, 7);
  EXPECT_FALSE(evolution.propose(world.population, 1024, [](const Configuration&) { return false; }).has_value());
}

}  // namespace
}  // namespace pbtune
