// SPDX-License-Identifier: MIT
#include "choicegraph/passes/build_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using testing::convolution;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PlannedTransform;
using testing::TestTransform;

TEST(Plan, OfAConvolutionIsOneParallelStep) {
  const PlannedTransform planned(convolution("KWIDTH"));
  EXPECT_THAT(planned.segments(), ElementsAre("Out [0, w-KWIDTH+1) [0, h-KWIDTH+1) by Out#1"));
  ASSERT_EQ(planned.only().steps.size(), 1U);
  const Step& step = planned.only().steps[StepId(0)];
  EXPECT_TRUE(step.is_data_parallel);
  ASSERT_EQ(step.loops.size(), 2U);
  EXPECT_EQ(step.loops.back().var, "x");
  EXPECT_TRUE(step.guards.empty());
  EXPECT_TRUE(step.input_boxes[0].extent_is_uniform);
  EXPECT_FALSE(step.input_boxes[0].is_same_for_all_instances);
  EXPECT_EQ(to_string(step.input_boxes[0].extent[1]), "KWIDTH");
  EXPECT_TRUE(step.input_boxes[1].is_same_for_all_instances);
}

TEST(Plan, NamesTheColumnAndRowThatNoRuleCovers) {
  const PlannedTransform planned(convolution("KWIDTH+1"));
  EXPECT_THAT(planned.messages(), HasSubstr("rules leave part of `Out` uncovered: column w-KWIDTH, row h-KWIDTH\n"));
  EXPECT_THAT(planned.messages(), HasSubstr("covers [0, w-KWIDTH) x [0, h-KWIDTH): elsewhere this region leaves `In`"));
}

TEST(Plan, NamesSingleCellsAndRangesThatNoRuleCovers) {
  EXPECT_THAT(PlannedTransform(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i-1)"})).messages(),
              HasSubstr("uncovered: cell 0\n"));
  EXPECT_THAT(PlannedTransform(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i+3)"})).messages(),
              HasSubstr("uncovered: [n-3, n)\n"));
  EXPECT_THAT(PlannedTransform(TestTransform().from("A[n]").to("B[n]").to("C[n]").rule({"B.cell(i)"}, {"A.cell(i)"}))
                  .messages(),
              HasSubstr("rules leave part of `C` uncovered: all of it\n"));
}

TEST(Plan, CutsBordersIntoSegments) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[n]")
                                     .to("OUT[n]")
                                     .rule({"OUT.cell(i)"}, {})
                                     .rule({"OUT.cell(i)"}, {"A.cell(i-1)"})
                                     .rule({"OUT.cell(i)"}, {"A.cell(i-1)", "A.cell(i+1)"}));
  EXPECT_THAT(planned.segments(), ElementsAre("OUT [0, min(1, n)) by OUT#1", "OUT [1, n-1) by OUT#1 OUT#2 OUT#3",
                                              "OUT [max(1, n-1), n) by OUT#1 OUT#2"));
}

TEST(Plan, KeepsOnlyTheBestPriority) {
  const PlannedTransform planned(
      TestTransform().to("OUT[n]").rule({"OUT.cell(0)"}, {}, 0).rule({"OUT.cell(i)"}, {}, 2));
  EXPECT_THAT(planned.segments(), ElementsAre("OUT [0, min(1, n)) by OUT#1", "OUT [1, n) by OUT#2"));
}

TEST(Plan, PutsSegmentsOfAllMatricesWithTheSameCandidatesIntoOneSite) {
  const PlannedTransform planned(TestTransform()
                                     .from("M[w,h]")
                                     .to("U[w,h]")
                                     .to("LEN[h]")
                                     .rule({"U.row(y)", "LEN.cell(y)"}, {"M.row(y)"})
                                     .rule({"U.row(y)", "LEN.cell(y)"}, {"M"}));
  ASSERT_EQ(planned.only().sites.size(), 1U);
  EXPECT_EQ(planned.only().sites[SiteId(0)].name, "U+LEN#1|U+LEN#2");
  EXPECT_EQ(planned.only().steps.size(), 2U);
  EXPECT_EQ(planned.only().steps[StepId(0)].segments.size(), 2U);
}

TEST(Plan, ListsWhatOnlySmallSizesLeaveUncovered) {
  const PlannedTransform planned(
      TestTransform().from("A[n]").to("B[n]").rule({"B.cell(0)"}, {"A.cell(1)"}).rule({"B.cell(i)"}, {"A.cell(i-1)"}));
  ASSERT_EQ(planned.only().uncovered.size(), 1U) << planned.messages();
  EXPECT_EQ(planned.only().sites.size(), 2U);
}

TEST(Plan, LeavesUnreadPartsOfTemporariesUncovered) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[n]")
                                     .through("T[n]")
                                     .to("B[n-1]")
                                     .rule({"T.cell(i)"}, {"A.cell(i+1)"})
                                     .rule({"B.cell(i)"}, {"T.cell(i)"}));
  EXPECT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_THAT(planned.only().edges, ElementsAre(StepEdge{StepId(0), StepId(1)}));
}

}  // namespace
}  // namespace pb
