// SPDX-License-Identifier: MIT
#include "choicegraph/passes/loops/order_loops.h"

#include <gtest/gtest.h>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using testing::PlannedTransform;
using testing::TestTransform;

LoopOrder order_of(const TransformPlan& plan, const std::string& var) {
  LoopOrder out = LoopOrder::Parallel;
  for (const Step& step : plan.steps)
    for (const LoopDim& loop : step.loops)
      if (loop.var == var && loop.order != LoopOrder::Parallel) out = loop.order;
  return out;
}

TEST(Loops, RunUpwardsForReadsFromBelow) {
  const PlannedTransform planned(
      TestTransform().to("OUT[n]").rule({"OUT.cell(0)"}, {}).rule({"OUT.cell(i)"}, {"OUT.cell(i-1)"}));
  EXPECT_EQ(order_of(planned.only(), "i"), LoopOrder::Increasing);
}

TEST(Loops, RunDownwardsForReadsFromAbove) {
  const PlannedTransform planned(
      TestTransform().to("OUT[n]").rule({"OUT.cell(n-1)"}, {}).rule({"OUT.cell(i)"}, {"OUT.cell(i+1)"}));
  EXPECT_EQ(order_of(planned.only(), "i"), LoopOrder::Decreasing);
}

TEST(Loops, RunUpwardsForPrefixes) {
  const PlannedTransform planned(
      TestTransform().from("A[n]").to("OUT[n]").rule({"OUT.cell(i)"}, {"OUT.region(0,i)", "A.cell(i)"}));
  EXPECT_EQ(order_of(planned.only(), "i"), LoopOrder::Increasing);
}

TEST(Loops, StayParallelWhereNothingIsCarried) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[w,h]")
                                     .to("B[w,h]")
                                     .rule({"B.row(0)"}, {"A.row(0)"})
                                     .rule({"B.cell(x,y)"}, {"B.cell(x,y-1)"}));
  EXPECT_EQ(order_of(planned.only(), "y"), LoopOrder::Increasing);
  EXPECT_EQ(order_of(planned.only(), "x"), LoopOrder::Parallel);
}

TEST(Loops, MoveTheCarryingLoopOutside) {
  const PlannedTransform planned(TestTransform()
                                     .to("B[w,h]")
                                     .rule({"B.cell(x,y)"}, {"B.cell(x-1,y-1)", "B.cell(x-1,y+1)"})
                                     .rule({"B.cell(x,y)"}, {}, 2));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  bool found = false;
  for (const Step& step : planned.only().steps) {
    if (step.loops.front().order == LoopOrder::Parallel) continue;
    found = true;
    EXPECT_EQ(step.loops.front().var, "x");
    EXPECT_EQ(step.loops.front().order, LoopOrder::Increasing);
    EXPECT_EQ(step.loops.back().order, LoopOrder::Parallel);
  }
  EXPECT_TRUE(found);
}

TEST(Loops, IgnoreReadsOfTheOwnElement) {
  const PlannedTransform planned(TestTransform().to("OUT[n]").rule({"OUT.cell(i)"}, {"OUT.cell(i)"}));
  EXPECT_TRUE(planned.only().steps[StepId(0)].is_data_parallel);
}

TEST(Loops, HaveNoOrderForReadsOnBothSides) {
  const PlannedTransform planned(TestTransform()
                                     .to("OUT[n]")
                                     .rule({"OUT.cell(0)"}, {})
                                     .rule({"OUT.cell(n-1)"}, {})
                                     .rule({"OUT.cell(i)"}, {"OUT.cell(i-1)", "OUT.cell(i+1)"}));
  EXPECT_TRUE(planned.diags.has(DiagKind::NoLoopOrder)) << planned.messages();
}

}  // namespace
}  // namespace pb
