// SPDX-License-Identifier: MIT
#include "choicegraph/passes/segments/needed_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/plan/step_needs.h"
#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using testing::TestTransform;

/// A plan in words.
struct Planned : testing::PlannedTransform {
  explicit Planned(const TestTransform& transform) : PlannedTransform(transform) {}

  [[nodiscard]] std::string rule_names(const std::vector<RuleId>& rules) const {
    std::string out;
    for (const RuleId id : rules) out += (out.empty() ? "" : " ") + transform().rules[id].name;
    return out;
  }
  /// `OUT: OUT#1 OUT#2`, one per segment.
  [[nodiscard]] std::vector<std::string> segments() const {
    std::vector<std::string> out;
    for (const Segment& segment : only().segments)
      out.push_back(transform().matrices[segment.matrix].name + ": " + rule_names(segment.candidates));
    return out;
  }
  [[nodiscard]] std::string step_names(const std::vector<StepId>& steps) const {
    std::vector<RuleId> rules;
    for (const StepId id : steps) rules.push_back(only().steps[id].rule);
    return rule_names(rules);
  }
};

TEST(Needs, LeaveNoSegmentsOfTemporariesThatNoResultNeeds) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .through("T[n]")
                            .through("U[n]")
                            .through("V[2*n]")
                            .to("B[n]")
                            .rule({"T.cell(i)"}, {"A.cell(i)"})
                            .rule({"T.cell(i)"}, {"U.cell(i)"})
                            .rule({"U.cell(i)"}, {"A.cell(i)"})
                            .rule({"V.cell(i)"}, {"A.cell(i)"})
                            .rule({"V.cell(i)"}, {"A.cell(i-n)"})
                            .rule({"B.cell(i)"}, {"V.cell(i)"}));
  EXPECT_THAT(planned.segments(), ElementsAre("V: V#1", "B: B#1"));
  EXPECT_EQ(planned.only().steps.size(), 2U);
}

TEST(Needs, TieNoRuleToWhatItWritesForItself) {
  const auto writing = [](const std::string& part) {
    return TestTransform()
        .from("A[n]")
        .through("T[n]")
        .to("B[n]")
        .rule({"B.cell(i)", part}, {"A.cell(i)"})
        .rule({"B.cell(i)"}, {"A.cell(n-1-i)"});
  };
  const Planned apart(writing("T.cell(i)"));
  EXPECT_THAT(apart.segments(), ElementsAre("B: B+T#1 B#1"));
  EXPECT_TRUE(apart.only().steps.begin()->is_data_parallel);
  // Instances that share the temporary run one after the other.
  const Planned shared(writing("T"));
  EXPECT_EQ(shared.segments().front(), "T: B+T#1");
  EXPECT_FALSE(shared.only().steps.begin()->is_data_parallel);
}

TEST(Needs, NameTheReadersOfTemporaries) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .through("S[n]")
                            .through("T[n]")
                            .through("U[n]")
                            .to("B[n]")
                            .to("C[n]")
                            .rule({"S.cell(i)"}, {"A.cell(i)"})
                            .rule({"T.cell(i)"}, {"S.cell(i)"})
                            .rule({"U.cell(i)"}, {"A.cell(i)"})
                            .rule({"B.cell(i)"}, {"T.cell(i)"})
                            .rule({"B.cell(i)"}, {"A.cell(i)"})
                            .rule({"C.cell(i)"}, {"U.cell(i)"}));
  std::vector<std::string> found;
  for (const StepNeed& need : needs_of(planned.only(), planned.transform()))
    found.push_back(planned.step_names(need.steps) + " for " + planned.step_names(need.readers));
  EXPECT_THAT(found, ElementsAre("T#1 for B#1", "S#1 for T#1"));
}

/// Levels with starts that name their version; `G` has none.
TestTransform levels() {
  return TestTransform()
      .from("X[d]")
      .from("N[t]")
      .through("G[d;t]")
      .through("S[d;t]")
      .to("B[d]")
      .rule({"S.cell(j,0)"}, {"X.cell(j)"})
      .rule({"G.row(k)"}, {"S.row(k-1)"})
      .rule({"S.cell(j,k)"}, {"G.cell(j,k)"})
      .rule({"B.cell(j)"}, {"S.cell(j,t-1)"});
}

TEST(Liveness, NamedVersionsDisplaceCountedOnes) {
  const Planned planned(levels());
  ASSERT_FALSE(planned.diags.has_errors());
  EXPECT_THAT(planned.segments(), ElementsAre("G: G#1", "S: S#1", "S: S#2", "B: B#1"));
  EXPECT_EQ(planned.only().displaced, (std::vector<Displacement>{{RuleId(2), RuleId(0), MatrixId(3)}}));
  EXPECT_EQ(planned.only().left_out, std::vector<RuleId>{RuleId(2)});
}

TEST(Liveness, UncoveredCellsThatNobodyNeedsAreNotMissing) {
  // A start with a worse number does not displace: then `S<0>` needs `G<0>`.
  const Planned missing(TestTransform(levels()).rule({"S.cell(j,k)"}, {"G.cell(j,k)"}, 0));
  EXPECT_TRUE(missing.diags.has(DiagKind::UncoveredOutput));
  const Planned triangle(TestTransform()
                             .from("A[n]")
                             .through("C[n,n]")
                             .to("B[n]")
                             .rule({"C.cell(i,i)"}, {"A.cell(i)"}, 0)
                             .rule({"C.cell(i,j)"}, {"C.cell(i-1,j)", "C.cell(i,j+1)"})
                             .rule({"B.cell(i)"}, {"C.cell(i,0)"}));
  EXPECT_FALSE(triangle.diags.has_errors());
  EXPECT_TRUE(triangle.only().uncovered.empty());
}

TEST(Liveness, UncoveredCellsFarFromTheResultAreMissing) {
  // The rule that reads the cell feeds a chain as long as the size.
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .through("T[n]")
                            .to("B")
                            .rule({"T.cell(i)"}, {"T.cell(i-1)", "A.cell(i)"})
                            .rule({"B"}, {"T.cell(n-1)"}));
  EXPECT_TRUE(planned.diags.has(DiagKind::UncoveredOutput));
  // The result needs only one of two interleaved chains.
  const Planned even(TestTransform()
                         .from("A[n]")
                         .through("T[2*n]")
                         .to("B[n]")
                         .rule({"T.cell(0)"}, {"A.cell(0)"})
                         .rule({"T.cell(i)"}, {"T.cell(i-2)"})
                         .rule({"B.cell(i)"}, {"T.cell(2*i)"}));
  EXPECT_FALSE(even.diags.has_errors());
  EXPECT_EQ(even.only().left_out, std::vector<RuleId>{RuleId(1)});
}

TEST(Needs, TemporariesThatNeedEachOtherAreOne) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .through("P[n]")
                            .through("Q[n]")
                            .to("B[n]")
                            .rule({"P.cell(0)"}, {"A.cell(0)"})
                            .rule({"Q.cell(0)"}, {"A.cell(0)"})
                            .rule({"P.cell(i)"}, {"Q.cell(i-1)"})
                            .rule({"Q.cell(i)"}, {"P.cell(i-1)"})
                            .rule({"B.cell(i)"}, {"P.cell(i)"})
                            .rule({"B.cell(i)"}, {"A.cell(i)"}));
  const std::vector<StepNeed> needs = needs_of(planned.only(), planned.transform());
  ASSERT_FALSE(needs.empty());
  EXPECT_EQ(needs.front().steps.size(), 2U);
  EXPECT_EQ(needs.front().readers.size(), 1U);
  EXPECT_EQ(needs.size(), 3U);  // and both first cells
}

}  // namespace
}  // namespace pb
