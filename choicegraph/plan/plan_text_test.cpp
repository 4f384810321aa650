// SPDX-License-Identifier: MIT
#include "choicegraph/plan/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/plan/verify_plan.h"
#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using testing::convolution;
using ::testing::HasSubstr;
using testing::PlannedTransform;
using testing::TestTransform;

TEST(PlanText, IsReadBackWithGuardsShapesAndTunables) {
  const PlannedTransform planned(TestTransform()
                                     .tunable("B", 1, 8)
                                     .from("IN[n]")
                                     .to("OUT")
                                     .to("V[n]")
                                     .rule({"OUT"}, {"IN.cell(n/2-1)"})
                                     .rule({"OUT"}, {"IN"})
                                     .rule({"V.cell(i)"}, {"IN.cell(i)"}));
  const ParsedPlan again = parse_plan(planned.text(), planned.program);
  ASSERT_TRUE(again.plan.has_value()) << again.error << planned.messages();
  EXPECT_EQ(to_string(*again.plan, planned.program), planned.text());
  verify(*again.plan, planned.program);
}

TEST(PlanText, WithDamageNamesTheLine) {
  const PlannedTransform planned(convolution("KWIDTH"));
  std::string text = planned.text();
  text.replace(text.find("segment"), 7, "segmemt");
  EXPECT_THAT(parse_plan(text, planned.program).error, HasSubstr("line 2"));
}

}  // namespace
}  // namespace pb
