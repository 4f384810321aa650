// SPDX-License-Identifier: MIT
#include "choicegraph/passes/loops/order_loops.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launch_waves.h"
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

/// The nests of slices of one instance.
std::size_t num_instance_slices(const TransformPlan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.nests.begin(), plan.nests.end(), is_for_devices));
}

TEST(Loops, InOrderHaveASlicePerInstanceForDevices) {
  const PlannedTransform planned(
      TestTransform().from("A[n]").to("OUT[n]").rule({"OUT.cell(i)"}, {"OUT.region(0,i)", "A.cell(i)"}));
  ASSERT_EQ(num_instance_slices(planned.only()), 1U);
  EXPECT_EQ(slice_variable(planned.only(), StepId(0)), "i");
  EXPECT_TRUE(step_of_launch(planned.only(), StepId(0)).loops.empty());
  const PlannedTransform parallel(TestTransform().from("A[n]").to("OUT[n]").rule({"OUT.cell(i)"}, {"A.cell(i)"}));
  EXPECT_EQ(num_instance_slices(parallel.only()), 0U);
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

/// The rows of the steps that a device runs as wavefronts: `1 0 carried, 0 1 parallel` for each.
Texts waves(const TransformPlan& plan) {
  Texts out;
  for (const StepId id : plan.steps.ids()) {
    std::string text;
    for (const WaveRow& row : wave_of_launch(plan, id)) {
      if (!text.empty()) text += ", ";
      for (const int coefficient : row.coefficients) text += std::to_string(coefficient) + " ";
      text += row.is_carried ? "carried" : "parallel";
    }
    if (!text.empty()) out.push_back(text);
  }
  return out;
}

/// The rows of a rule with these inputs, beside one that gives all other cells.
Texts waves_of(const std::string& matrix, const std::string& cell, const std::vector<std::string>& inputs) {
  const PlannedTransform planned(TestTransform().to(matrix).rule({cell}, inputs).rule({cell}, {}, 2));
  EXPECT_FALSE(planned.diags.has_errors()) << planned.messages();
  return waves(planned.only());
}

TEST(Waves, RunWhereTwoLoopsCarry) {
  EXPECT_EQ(waves_of("D[w,h]", "D.cell(x,y)", {"D.cell(x-1,y)", "D.cell(x,y-1)"}), Texts{"1 0 carried, 0 1 carried"});
  EXPECT_EQ(waves_of("D[w,h]", "D.cell(x,y)", {"D.cell(x-2,y)", "D.cell(x-1,y-3)", "D.cell(x,y-1)"}),
            Texts{"1 0 carried, 0 1 carried"});
}

TEST(Waves, RunAgainstTheirDependences) {
  EXPECT_EQ(waves_of("D[w,h]", "D.cell(x,y)", {"D.cell(x+1,y)", "D.cell(x,y-1)"}), Texts{"-1 0 carried, 0 1 carried"});
  EXPECT_EQ(waves_of("D[w,h]", "D.cell(x,y)", {"D.cell(x+1,y)", "D.cell(x,y+1)"}), Texts{"-1 0 carried, 0 -1 carried"});
}

TEST(Waves, HaveSkewedRowsWhereADependencePointsBackwards) {
  EXPECT_EQ(waves_of("D[w,h]", "D.cell(x,y)", {"D.cell(x-1,y)", "D.cell(x+1,y-1)"}), Texts{"1 1 carried, 0 1 carried"});
}

TEST(Waves, LeaveLoopsParallelThatCarryNothing) {
  EXPECT_EQ(waves_of("D[w,h,d]", "D.cell(x,y,z)", {"D.cell(x,y-1,z)", "D.cell(x,y,z+1)"}),
            Texts{"1 0 0 parallel, 0 1 0 carried, 0 0 -1 carried"});
}

TEST(Waves, RunAlongThreeLoops) {
  EXPECT_EQ(waves_of("D[w,h,d]", "D.cell(x,y,z)", {"D.cell(x-1,y,z)", "D.cell(x,y-1,z)", "D.cell(x,y,z-1)"}),
            Texts{"1 0 0 carried, 0 1 0 carried, 0 0 1 carried"});
}

TEST(Waves, AreNoSlicesAndNoScans) {
  EXPECT_EQ(waves_of("D[w,h]", "D.cell(x,y)", {"D.cell(x-1,y-1)", "D.cell(x+1,y-1)"}), Texts{});
  EXPECT_EQ(waves_of("D[w,h]", "D.cell(x,y)", {"D.cell(x,y-1)"}), Texts{});
}

TEST(Waves, RunOverTriangles) {
  const PlannedTransform planned(TestTransform()
                                     .to("D[n,n]")
                                     .rule({"D.cell(x,y)"}, {"D.cell(x-1,y)", "D.cell(x,y-1)"})
                                     .where("x", RelationOp::LessEqual, "y")
                                     .rule({"D.cell(x,y)"}, {}, 2));
  EXPECT_EQ(waves(planned.only()), Texts{"1 0 carried, 0 1 carried"});
}

}  // namespace
}  // namespace pb
