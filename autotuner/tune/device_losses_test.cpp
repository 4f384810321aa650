// SPDX-License-Identifier: MIT
// Tests of what is measured of the runs on a device that lost.
#include "autotuner/tune/device_losses.h"

#include <gtest/gtest.h>

#include "autotuner/testing/scripted_world.h"

namespace pbtune {
namespace {

using testing::kSite2D;
using testing::kSiteRows;

TEST(DeviceLosses, HaveTheCostsOfARunOfTheirOwnWhereThereWasOne) {
  const testing::ScriptedWorld world;
  SearchResult result;
  result.best_ns = 2e6;
  result.device_attempts = {{world.choosing(0), {kSite2D, kSiteRows}, 6e6}, {world.choosing(1), {kSiteRows}, 9e6}};
  int num_runs = 0;
  const auto losses = device_losses(world.index, result, [&](const DeviceAttempt& attempt) {
    Outcome outcome = testing::ScriptedWorld::ended(attempt.time_ns + 1);
    if (num_runs++ == 0) outcome.device_costs = pbrt::DeviceCosts{.launches = 7, .kernel_ns = 1e6};
    return outcome;
  });
  EXPECT_EQ(num_runs, 2);
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_EQ(losses[0].sites, (std::vector<std::string>{"Convolve2D.Out#1", "ConvolveRows.Out#1"}));
  EXPECT_EQ(losses[0].time_ns, 6e6);
  EXPECT_EQ(losses[0].cpu_ns, 2e6);
  EXPECT_EQ(losses[0].profiled_ns, 6e6 + 1);
  EXPECT_EQ(losses[0].costs.launches, 7);
  EXPECT_EQ(losses[1].time_ns, 9e6);
  EXPECT_EQ(losses[1].profiled_ns, 0) << "the run had no costs";
}

TEST(DeviceLosses, AreProfiledOnlyForTheFirstFew) {
  const testing::ScriptedWorld world;
  SearchResult result;
  result.device_attempts.assign(9, {world.choosing(0), {kSite2D}, 6e6});
  int num_runs = 0;
  const auto losses = device_losses(world.index, result, [&](const DeviceAttempt&) {
    ++num_runs;
    return Outcome{};
  });
  EXPECT_EQ(losses.size(), 9U);
  EXPECT_EQ(num_runs, 4);
}

}  // namespace
}  // namespace pbtune
