// SPDX-License-Identifier: MIT
#include "choicegraph/passes/steps/find_edges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using testing::PlannedTransform;
using testing::TestTransform;

TEST(Order, RunsTheWideInstanceBeforeWhoOverwritesIt) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[n]")
                                     .to("OUT[n]")
                                     .rule({"OUT"}, {"A"})
                                     .rule({"OUT.cell(i)"}, {"A.cell(i-1)", "A.cell(i+1)"}));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_THAT(planned.only().edges, ElementsAre(StepEdge{StepId(0), StepId(1)}));
  EXPECT_EQ(planned.only().steps[StepId(0)].rule, RuleId(0));
}

TEST(Order, RunsProducersBeforeConsumersAgainstTheHeader) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[n]")
                                     .to("B[n]")
                                     .through("T[n]")
                                     .rule({"B.cell(i)"}, {"T.cell(i)"})
                                     .rule({"T.cell(i)"}, {"A.cell(i)"}));
  EXPECT_EQ(planned.only().steps[StepId(0)].rule, RuleId(1));
}

TEST(Steps, OfOneRuleThatWriteTheSameCellsRunOneAfterTheOther) {
  const auto plan_of = [](const std::string& region) {
    return PlannedTransform(TestTransform().to("P[n+6]").rule({region}, {}).where("i", RelationOp::NotEqual, "2"));
  };
  const PlannedTransform planned = plan_of("P.region(i, i+3)");
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_THAT(planned.only().edges, ElementsAre(StepEdge{StepId(0), StepId(1)})) << planned.text();
  const PlannedTransform apart = plan_of("P.region(i, i+2)");
  ASSERT_FALSE(apart.diags.has_errors()) << apart.messages();
  EXPECT_TRUE(apart.only().edges.empty()) << apart.text();
}

}  // namespace
}  // namespace pb
