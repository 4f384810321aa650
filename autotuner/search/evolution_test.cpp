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

TEST(Evolution, DrawsTheFormsOfARulesLoopsAsOneThing) {
  pbrt::TrainingInfo info;
  info.program = info.main = "T";
  info.global = pbrt::standard_globals();
  pbrt::TransformInfo transform;
  transform.name = transform.template_name = "T";
  transform.tunables = {{"a", pbrt::TunableType::Int, 0, 9, {0}, pbrt::TunableRole::User, false, 1, {}}};
  for (const auto role : {pbrt::TunableRole::Strip, pbrt::TunableRole::Stores, pbrt::TunableRole::RowAhead})
    transform.tunables.push_back({pb::to_string(role), pbrt::TunableType::Int, 0, 2, {1}, role, false, 1, {"R.cpu"}});
  info.transforms = {transform};
  const InfoIndex index(info);
  const Space space(index, {.max_threads = 1, .has_globals = false});
  Population population(4);
  population.add(testing::ScriptedWorld::timed(space.default_configuration(), 1e6));
  Evolution evolution(space, 7);
  int num_of_own = 0;
  constexpr int kDraws = 1000;
  for (int i = 0; i < kDraws; ++i)
    num_of_own +=
        evolution.propose(population, 1024, [](const Configuration&) { return true; })->origin == "change T.a" ? 1 : 0;
  EXPECT_NEAR(num_of_own, kDraws / 2, kDraws / 10);
}

TEST(Evolution, GivesUpWhereNothingCanBeClaimed) {
  testing::ScriptedWorld world;
  world.population.add(testing::ScriptedWorld::timed(world.choosing(0), 1e6));
  Evolution evolution(world.space, 7);
  EXPECT_FALSE(evolution.propose(world.population, 1024, [](const Configuration&) { return false; }).has_value());
}

}  // namespace
}  // namespace pbtune
