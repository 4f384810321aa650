// SPDX-License-Identifier: MIT
#include "autotuner/search/site_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "autotuner/testing/synthetic.h"

namespace pbtune {
namespace {

TEST(IsWorthARun, WhatWasFarBehindIsTriedOnlyWhereItIsCheap) {
  EXPECT_TRUE(is_worth_a_run(1, 1, 10));
  EXPECT_TRUE(is_worth_a_run(2, 10, 1)) << "it may be the best here";
  EXPECT_FALSE(is_worth_a_run(20, 1, 10));
  EXPECT_TRUE(is_worth_a_run(20, 1e-3, 10));
  EXPECT_FALSE(is_worth_a_run(HUGE_VAL, 1e-9, 1e9)) << "it did not end";
}

class SiteSweepTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kN = 1760;
  static SpaceOptions options() {
    SpaceOptions out{true, 2, 0, kN};
    out.measured = testing::synthetic_program().main;
    return out;
  }
  pbrt::TrainingInfo info = testing::synthetic_program();
  InfoIndex index{info};
  Space space{index, options()};
  SiteSweep sweep{space};
  Configuration standard = space.default_configuration();
};

TEST_F(SiteSweepTest, AllOtherChoicesOfSitesThatRanAreTried) {
  const std::vector<RanChoice> ran = testing::synthetic_ran(standard, kN);
  const std::vector<RanChoice> others = sweep.others(standard, ran, kN);
  ASSERT_FALSE(others.empty());
  EXPECT_EQ(others[0].site, testing::kMainSite) << "the transform that is measured comes first";
  for (const RanChoice& other : others) {
    EXPECT_TRUE(space.is_site_relevant(other.site, ran));
    EXPECT_NE(other.alternative, standard.sites[static_cast<std::size_t>(other.site)].select(kN));
  }
}

TEST_F(SiteSweepTest, WhatDidBetterComesFirst) {
  const std::vector<RanChoice> before = sweep.others(standard, {}, kN);
  const auto is_inner = [](const RanChoice& choice) { return choice.site != testing::kMainSite; };
  const auto first_inner = std::find_if(before.begin(), before.end(), is_inner);
  ASSERT_LT(first_inner + 1, before.end());
  EXPECT_EQ(sweep.factor(*first_inner), 1);
  sweep.note(*first_inner, 5);
  EXPECT_EQ(sweep.factor(*first_inner), 5);
  EXPECT_EQ(sweep.others(standard, {}, kN).back(), *first_inner);
}

TEST_F(SiteSweepTest, PromisingIsWhatWasNearlyAsGood) {
  EXPECT_TRUE(sweep.promising(standard, kN).empty()) << "nothing was tried";
  const std::vector<RanChoice> others = sweep.others(standard, {}, kN);
  ASSERT_EQ(others[0].site, testing::kMainSite);
  ASSERT_NE(others.back().site, testing::kMainSite);
  sweep.note(others[0], 1.2);
  sweep.note(others.back(), 0.9);
  EXPECT_EQ(sweep.promising(standard, kN), std::vector<RanChoice>{others[0]}) << "only of the transform measured";
  sweep.note(others[0], 2);
  EXPECT_TRUE(sweep.promising(standard, kN).empty());
}

TEST_F(SiteSweepTest, AChoiceCountsFromASizeOn) {
  const Configuration found = sweep.with(standard, {testing::kMainSite, 1}, 100);
  EXPECT_EQ(found.sites[testing::kMainSite].select(99), 0);
  EXPECT_EQ(found.sites[testing::kMainSite].select(100), 1);
  EXPECT_EQ(sweep.with(standard, {testing::kMainSite, 1}, 0).sites[testing::kMainSite].select(1), 1);
}

}  // namespace
}  // namespace pbtune
