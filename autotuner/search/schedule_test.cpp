// SPDX-License-Identifier: MIT
#include "autotuner/search/schedule.h"

#include <gtest/gtest.h>

#include "autotuner/trials/statistics.h"

namespace pbtune {
namespace {

SearchOptions options() {
  SearchOptions out;
  out.sizes = {256, 512, 1024};
  out.budget_s = 100;
  return out;
}

TEST(Schedule, GivesTheTargetAllThatTheLastWordLeaves) {
  const SearchOptions all = options();
  Schedule schedule(all, false);
  schedule.begin_size(0, 0);
  EXPECT_FALSE(schedule.is_last());
  EXPECT_LT(schedule.deadline_s(), 20);
  schedule.begin_size(2, 50);
  EXPECT_TRUE(schedule.is_last());
  EXPECT_DOUBLE_EQ(schedule.deadline_s(), 85);
  EXPECT_LT(schedule.end_s({1, 2, 0.1}), 85);
}

TEST(Schedule, LeavesOutASizeThatTheGrowthSoFarForbids) {
  const SearchOptions all = options();
  Schedule schedule(all, false);
  EXPECT_TRUE(schedule.will_fit(1, 256, 1, 0));
  schedule.note_growth(128, 1e9, 256, 8e9);
  EXPECT_FALSE(schedule.will_fit(1, 256, 8, 0));
  EXPECT_TRUE(schedule.will_fit(1, 256, 1e-3, 0));
}

TEST(Schedule, NoSizeFitsWhenTheTimeIsOver) {
  const SearchOptions all = options();
  Schedule schedule(all, false);
  EXPECT_FALSE(schedule.will_fit(1, 256, 1e-6, 100)) << "also if nothing is known of the growth";
  EXPECT_TRUE(schedule.will_fit(1, 256, 0, 100)) << "nothing ran so far";
}

TEST(Schedule, IsMorePatientAtTheTargetAndWhileChildrenAreCheap) {
  const SearchOptions all = options();
  Schedule schedule(all, false);
  schedule.begin_size(0, 0);
  EXPECT_TRUE(schedule.is_exhausted(all.max_failures, 1, 0, 10));
  schedule.begin_size(2, 0);
  EXPECT_FALSE(schedule.is_exhausted(all.max_failures, 9, 0, 10));
  EXPECT_TRUE(schedule.is_exhausted(2 * all.max_failures, 9, 0, 10));
  EXPECT_FALSE(schedule.is_exhausted(2 * all.max_failures, 1, 0, 10));
}

TEST(Schedule, LeavesThePartsOfTheLastWordInTheirOrder) {
  const SearchOptions all = options();
  const Schedule schedule(all, true);
  const RunCosts costs{0.1, 0.2, 0};
  EXPECT_EQ(schedule.num_final_parts(), 4);
  EXPECT_DOUBLE_EQ(schedule.end_before_parts(0, costs), 100);
  EXPECT_LT(schedule.end_before_parts(4, costs), schedule.end_before_parts(3, costs));
  EXPECT_GE(schedule.end_before_parts(4, costs), 60);
}

TEST(Schedule, ReservesEnoughRoundsForTheLastWordWhereTheyFit) {
  const SearchOptions all = options();
  const Schedule schedule(all, false);
  const double best_s = 0.4, default_s = 0.8, overhead_s = 0.05;
  const double reserve_s = 100 - schedule.end_before_parts(1, {best_s, default_s, overhead_s});
  EXPECT_GE(reserve_s, kEnoughRounds * (best_s + default_s + 2 * overhead_s));
  // Where runs are long, most of the time is still for the search, and a gain is compared as often as it must be.
  EXPECT_GE(schedule.end_before_parts(1, {10, 20, 1}), 65);
  EXPECT_LE(schedule.end_before_parts(1, {1.5, 6, 0.1}), 100 - kLeastContestRounds * (1.6 + 6.1));
}

}  // namespace
}  // namespace pbtune
