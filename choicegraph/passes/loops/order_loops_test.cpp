// SPDX-License-Identifier: MIT
#include "choicegraph/passes/loops/order_loops.h"

#include <gtest/gtest.h>

#include "choicegraph/plan/launch_slices.h"
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

/// The steps that a device runs in a launch per slice, with their variables: `y: x` has launches along `y` over `x`.
std::vector<std::string> launches(const TransformPlan& plan) {
  std::vector<std::string> out;
  for (const StepId id : plan.steps.ids()) {
    if (launch_nest(plan, id) == nullptr) continue;
    const Step step = step_of_launch(plan, id);
    EXPECT_TRUE(step.is_data_parallel);
    std::string text = slice_variable(plan, id) + ":";
    for (const LoopDim& loop : step.loops) text += " " + loop.var;
    out.push_back(text);
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Slices, AreLaunchesWhereOneCoordinateCarries) {
  const PlannedTransform up(TestTransform()
                                .from("A[w,h]")
                                .to("B[w,h]")
                                .rule({"B.cell(x,y)"}, {"B.cell(x-1,y-1)", "B.cell(x+1,y-1)"})
                                .rule({"B.cell(x,y)"}, {"A.cell(x,y)"}, 2));
  EXPECT_EQ(launches(up.only()), Texts{"y: x"});
  const PlannedTransform down(TestTransform()
                                  .from("A[w,h]")
                                  .to("B[w,h]")
                                  .rule({"B.cell(x,y)"}, {"B.cell(x+1,y-1)", "B.cell(x+1,y+1)"})
                                  .rule({"B.cell(x,y)"}, {"A.cell(x,y)"}, 2));
  EXPECT_EQ(launches(down.only()), Texts{"x: y"});
}

TEST(Slices, AreLaunchesBesideStripsForCpus) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[w,h]")
                                     .to("B[w,h]")
                                     .rule({"B.row(0)"}, {"A.row(0)"})
                                     .rule({"B.cell(x,y)"}, {"B.cell(x,y-1)"}));
  EXPECT_EQ(launches(planned.only()), Texts{"y: x"});
  ASSERT_EQ(planned.only().nests.size(), 2U);
  EXPECT_NE(planned.only().nests[0].rows.front().kind, RowKind::Slices);
  EXPECT_EQ(planned.only().nests[1].rows.front().kind, RowKind::Slices);
}

TEST(Slices, AreNoLaunchesWhereTwoCoordinatesCarry) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[w,h]")
                                     .to("B[w,h]")
                                     .rule({"B.cell(x,y)"}, {"B.cell(x-1,y)", "B.cell(x,y-1)"})
                                     .rule({"B.cell(x,y)"}, {"A.cell(x,y)"}, 2));
  EXPECT_EQ(launches(planned.only()), Texts{});
}

}  // namespace
}  // namespace pb
