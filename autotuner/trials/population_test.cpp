// SPDX-License-Identifier: MIT
#include "autotuner/trials/population.h"

#include <gtest/gtest.h>

namespace pbtune {
namespace {

Candidate candidate(int id, double time_ns, bool meets_accuracy = true, double accuracy = 0) {
  Candidate out;
  out.id = id;
  out.times_ns = {time_ns};
  out.meets_accuracy = meets_accuracy;
  out.accuracy = accuracy;
  return out;
}

TEST(Population, WithoutMembersHasNoTime) {
  const Population population(3);
  EXPECT_EQ(population.best_ns(), 0);
  EXPECT_FALSE(population.has_accurate());
}

TEST(Population, RanksAccurateMembersByTimeAndOthersByAccuracy) {
  Population population(8);
  population.add(candidate(1, 10, false, 0.5));
  population.add(candidate(2, 30));
  population.add(candidate(3, 10, false, 0.7));
  population.add(candidate(4, 20));
  population.sort();
  std::vector<int> ids;
  for (const Candidate& member : population.members()) ids.push_back(member.id);
  EXPECT_EQ(ids, (std::vector<int>{4, 2, 3, 1}));
  EXPECT_EQ(population.best_ns(), 20);
  EXPECT_TRUE(population.has_accurate());
}

TEST(Population, AChildRanksBesideItsParentWhateverMomentItsTimesComeFrom) {
  Candidate parent = candidate(1, 100), child = candidate(2, 180), other = candidate(3, 95);
  rank_beside(child, parent, {200, 200});  // the machine is half as fast now
  EXPECT_DOUBLE_EQ(child.rank_ns, 90);
  EXPECT_DOUBLE_EQ(parent.rank_ns, 100) << "its new times do not change its rank";
  EXPECT_TRUE(ranks_before(child, other));
  forget_times(child);
  child.times_ns = {96};
  EXPECT_TRUE(ranks_before(other, child)) << "times that are taken in turns rank by themselves";
}

TEST(Population, DropsTheLastMembersWhenItIsPruned) {
  Population population(2);
  for (const int time : {3, 1, 2}) population.add(candidate(time, time));
  EXPECT_EQ(population.members().size(), 3U);
  population.prune();
  ASSERT_EQ(population.members().size(), 2U);
  EXPECT_EQ(population.members()[1].id, 2);
}

TEST(Population, IsEmptyAfterAllMembersWereTaken) {
  Population population(2);
  population.add(candidate(1, 1));
  EXPECT_EQ(population.take_all().size(), 1U);
  EXPECT_TRUE(population.is_empty());
}

}  // namespace
}  // namespace pbtune
