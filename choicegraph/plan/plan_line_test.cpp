// SPDX-License-Identifier: MIT
#include "choicegraph/plan/plan_line.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

TEST(PlanLine, IsReadWordByWord) {
  PlanLine line("  step 3: A as  is");
  EXPECT_FALSE(line.accept("ste"));
  EXPECT_TRUE(line.accept("step"));
  EXPECT_EQ(line.next_label(), "3");
  EXPECT_TRUE(line.accept_name("A as"));
  EXPECT_EQ(line.next(), "is");
  EXPECT_TRUE(line.at_end());
}

TEST(PlanLine, HasBoxesOfAnyRank) {
  PlanLine line("[0, n) x [1, max(2, m)) by A");
  std::vector<IndexRange> box;
  EXPECT_TRUE(read_box(line, box));
  ASSERT_EQ(box.size(), 2u);
  EXPECT_EQ(box[1].lo, index_const(1));
  EXPECT_EQ(line.rest(), "by A");
  PlanLine none("by A");
  EXPECT_TRUE(read_box(none, box));
  PlanLine open("[0, n");
  EXPECT_FALSE(read_box(open, box));
}

TEST(PlanLine, HasConditionsBehindTheirWords) {
  PlanLine line("where n >= 0 and m - 1 >= 0 if k >= 0");
  std::vector<IndexExpr> conditions;
  std::vector<IndexExpr> guards;
  EXPECT_TRUE(read_where(line, conditions));
  EXPECT_EQ(conditions.size(), 2u);
  EXPECT_EQ(conditions[0], index_symbol("n"));
  EXPECT_TRUE(read_condition(line, guards));
  EXPECT_EQ(guards, std::vector{index_symbol("k")});
  PlanLine other("at 3");
  EXPECT_TRUE(read_where(other, conditions));
  EXPECT_FALSE(read_condition(other, guards));
  PlanLine open("where n");
  EXPECT_FALSE(read_where(open, conditions));
}

TEST(PlanLine, HasBoundsBehindTheirWord) {
  PlanLine line("from (i, 1) to (n");
  std::vector<IndexExpr> lower;
  std::vector<IndexExpr> upper;
  EXPECT_TRUE(read_bounds(line, "to", upper));
  EXPECT_TRUE(upper.empty());
  EXPECT_TRUE(read_bounds(line, "from", lower));
  EXPECT_EQ(lower, (std::vector{index_symbol("i"), index_const(1)}));
  EXPECT_FALSE(read_bounds(line, "to", upper));
}

}  // namespace
}  // namespace pb
