// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/find_legal_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::HasSubstr;
using testing::PlannedTransform;
using testing::TestTransform;

/// Returns a transform with the matrices M0 … M`count-1`. One rule computes a matrix from the input. Another rule
/// computes it from cell `coordinate` of the next matrix; M0 is next to the last one.
TestTransform circle(int count, const std::string& coordinate) {
  TestTransform out;
  out.from("A[n]");
  const auto name = [&](int i) { return "M" + std::to_string(i % count); };
  for (int i = 0; i < count; ++i) out.to(name(i) + "[n]");
  for (int i = 0; i < count; ++i) {
    out.rule({name(i) + ".cell(i)"}, {"A.cell(i)"});
    out.rule({name(i) + ".cell(i)"}, {name(i + 1) + ".cell(" + coordinate + ")"});
  }
  return out;
}

TEST(Choices, ForbidWhatHasNoOrder) {
  const PlannedTransform planned(circle(3, "i"));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  ASSERT_EQ(planned.only().forbidden.size(), 1U);
  EXPECT_EQ(planned.only().forbidden[0].size(), 3U);
  EXPECT_TRUE(planned.only().nests.empty());
  EXPECT_FALSE(is_ordered(planned.only()));
}

TEST(Choices, RunInSlicesWhereThatIsAnOrder) {
  const PlannedTransform planned(circle(3, "i-1"));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_TRUE(planned.only().forbidden.empty());
  ASSERT_EQ(planned.only().nests.size(), 1U);
  EXPECT_EQ(planned.only().nests[0].members.size(), 3U);
  EXPECT_FALSE(always_runs(planned.only(), planned.only().nests[0]));
}

TEST(Choices, AreExaminedAloneWhereThereAreTooMany) {
  const PlannedTransform planned(circle(13, "i"));
  EXPECT_TRUE(planned.diags.has(DiagKind::ManyAssignments)) << planned.messages();
  ASSERT_FALSE(planned.diags.has_errors());
  EXPECT_EQ(planned.only().forbidden.size(), 13U * 12U / 2U);
}

TEST(Choices, WithoutAnyOrderAreAnError) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[n]")
                                     .to("P[n]")
                                     .to("Q[n]")
                                     .rule({"P.cell(i)"}, {"Q.cell(i)"})
                                     .rule({"Q.cell(i)"}, {"P.cell(i)"}));
  EXPECT_TRUE(planned.diags.has(DiagKind::NoLegalOrder));
  EXPECT_THAT(planned.messages(), HasSubstr("rule `Q#1` -> `Q` -> rule `P#1` -> `P` -> rule `Q#1`"));
}

/// Returns the coefficients and the kind of each row of the only nest; messages and the plan if there is not one nest.
std::string rows_of(const PlannedTransform& planned) {
  if (planned.only().nests.empty()) return planned.messages() + planned.text();
  std::string out;
  for (const Nest& nest : planned.only().nests) {
    out += out.empty() ? "" : "and ";
    for (const NestRow& row : nest.rows) {
      for (const int c : row.coefficients) out += std::to_string(c) + " ";
      out += row.kind == RowKind::Parallel ? "parallel, " : row.kind == RowKind::Carried ? "carried, " : "slices, ";
    }
  }
  return out;
}

/// Returns a transform with a matrix over x and y. A cell needs the cells `inputs`; a rule without inputs computes the
/// borders, where some of them lie outside.
TestTransform grid_of(const std::vector<std::string>& inputs) {
  return TestTransform().to("C[w,h]").rule({"C.cell(x,y)"}, inputs).rule({"C.cell(x,y)"}, {}, 2);
}

TEST(Nests, CutWavefrontsIntoTiles) {
  EXPECT_EQ(rows_of(PlannedTransform(grid_of({"C.cell(x-1,y)", "C.cell(x,y-1)", "C.cell(x-1,y-1)"}))),
            "0 1 carried, 1 0 carried, ");
  EXPECT_EQ(rows_of(PlannedTransform(grid_of({"C.cell(x+1,y)", "C.cell(x,y-1)"}))), "0 1 carried, -1 0 carried, ");
}

TEST(Nests, SkewWhereNoDimensionIsLegal) {
  EXPECT_EQ(rows_of(PlannedTransform(grid_of({"C.cell(x-1,y)", "C.cell(x,y-1)", "C.cell(x-1,y+1)"}))),
            "1 1 carried, 1 0 carried, ");
  EXPECT_EQ(rows_of(PlannedTransform(grid_of({"C.cell(x-2,y+1)", "C.cell(x+1,y-2)"}))), "1 1 carried, 2 1 carried, ");
}

TEST(Nests, LeaveDimensionsParallelThatCarryNothing) {
  EXPECT_EQ(rows_of(PlannedTransform(grid_of({"C.cell(x,y-1)"}))), "0 1 carried, 1 0 parallel, and 1 slices, ");
}

TEST(Nests, AreSlicesWhereOneDimensionCarriesAll) {
  EXPECT_EQ(rows_of(PlannedTransform(grid_of({"C.cell(x-1,y-1)", "C.cell(x+1,y-1)"}))), "1 slices, ");
  EXPECT_EQ(rows_of(PlannedTransform(grid_of({"C.row(y-1)"}))), "1 slices, ");
}

TEST(Nests, JoinStepsThatNeedEachOther) {
  const PlannedTransform planned(TestTransform()
                                     .to("P[n]")
                                     .to("Q[n]")
                                     .rule({"P.cell(0)"}, {})
                                     .rule({"Q.cell(0)"}, {})
                                     .rule({"P.cell(i)"}, {"Q.cell(i-1)"})
                                     .rule({"Q.cell(i)"}, {"P.cell(i)"}));
  EXPECT_EQ(rows_of(planned), "1 slices, ");
  EXPECT_TRUE(always_runs(planned.only(), planned.only().nests[0]));
  EXPECT_TRUE(is_ordered(planned.only()));
}

/// Returns a transform in which one rule writes P and Q from `from_q`, and a rule of higher priority writes most cells
/// of Q from `from_p`.
TestTransform overwritten(const std::string& from_q, const std::string& from_p) {
  return TestTransform()
      .to("P[n]")
      .to("Q[n]")
      .rule({"P.cell(i)", "Q.cell(i)"}, {from_q}, 2)
      .rule({"Q.cell(i)"}, {from_p}, 1)
      .rule({"P.cell(i)"}, {}, 3)
      .rule({"Q.cell(i)"}, {}, 3);
}

TEST(Nests, JoinStepsOfWhichOneOverwritesTheOther) {
  const PlannedTransform planned(overwritten("Q.cell(i-1)", "P.cell(i-1)"));
  ASSERT_EQ(rows_of(planned), "1 slices, ");
  const Nest& nest = planned.only().nests[0];
  ASSERT_EQ(nest.members.size(), 2U);
  EXPECT_EQ(planned.only().steps[nest.members[0].step].rule, RuleId(0)) << "what is overwritten runs first";
  EXPECT_EQ(planned.only().steps[nest.members[1].step].rule, RuleId(1));
}

TEST(Nests, LetWhatIsOverwrittenComeFirst) {
  // The second rule writes Q(i) after the first rule writes it, and Q(i+1) before the first rule reads it at i.
  EXPECT_EQ(rows_of(PlannedTransform(overwritten("Q.cell(i+1)", "Q.cell(i+2)"))), "-1 slices, ");
  const PlannedTransform planned(overwritten("Q.region(i-1,i+2)", "P.cell(i-1)"));
  EXPECT_TRUE(planned.diags.has(DiagKind::NoLegalOrder));
  EXPECT_THAT(planned.messages(), HasSubstr("rule `Q#1` -> `Q` -> rule `P+Q#1` -> `P` -> rule `Q#1`"));
}

TEST(Choices, WithoutAnyOrderSayWhatIsOverwritten) {
  const PlannedTransform planned(TestTransform()
                                     .to("P[n]")
                                     .to("Q[n]")
                                     .rule({"P.cell(i)", "Q.cell(i)"}, {"Q.cell(i-1)", "Q.cell(i+1)"}, 2)
                                     .rule({"Q.cell(i)"}, {}, 1)
                                     .rule({"P.cell(i)"}, {}, 3));
  EXPECT_THAT(planned.messages(), HasSubstr("note: rule `Q#1` overwrites a part of `Q` that rule `P+Q#1` writes"));
}

TEST(Nests, ShiftMembersWhoseReadsPointBothWays) {
  const PlannedTransform planned(TestTransform()
                                     .to("P[n]")
                                     .to("Q[n]")
                                     .rule({"P.cell(i)"}, {"Q.cell(i+1)"})
                                     .rule({"Q.cell(i)"}, {"P.cell(i-2)"})
                                     .rule({"P.cell(i)"}, {}, 2)
                                     .rule({"Q.cell(i)"}, {}, 2));
  EXPECT_EQ(rows_of(planned), "1 slices, ");
}

TEST(Nests, ShiftMembersByManyCells) {
  const auto shifted = [](const std::string& read_of_p) {
    return PlannedTransform(TestTransform()
                                .to("P[n]")
                                .to("Q[n]")
                                .rule({"P.cell(i)"}, {"Q.cell(i+900)"})
                                .rule({"Q.cell(i)"}, {read_of_p})
                                .rule({"P.cell(i)"}, {}, 2)
                                .rule({"Q.cell(i)"}, {}, 2));
  };
  EXPECT_EQ(rows_of(shifted("P.cell(i-901)")), "1 slices, ");
  EXPECT_EQ(rows_of(shifted("P.cell(i-899)")), "-1 slices, ");
  EXPECT_TRUE(shifted("P.cell(i-900)").diags.has(DiagKind::NoLegalOrder));
}

TEST(Nests, HaveCoordinatesWithFactorsInSlices) {
  const auto every_second = [](const std::string& even, const std::string& odd) {
    return PlannedTransform(TestTransform()
                                .to("B[n]")
                                .rule({"B.cell(2*i)"}, {even})
                                .rule({"B.cell(2*i+1)"}, {odd})
                                .rule({"B.cell(i)"}, {}, 2));
  };
  const PlannedTransform planned = every_second("B.cell(2*i-1)", "B.cell(2*i)");
  ASSERT_EQ(rows_of(planned), "1 slices, ");
  for (const NestMember& member : planned.only().nests[0].members) EXPECT_EQ(member.coordinates[0].factor, 2);
  EXPECT_EQ(rows_of(every_second("B.cell(2*i+1)", "B.cell(2*i+2)")), "-1 slices, ");
  EXPECT_TRUE(every_second("B.cell(2*i-1)", "B.cell(2*i+2)").diags.has(DiagKind::NoLegalOrder));
}

TEST(Nests, RunAlongAnotherDimensionOfEachMatrix) {
  const auto mixed = [](const std::string& read_of_p) {
    return PlannedTransform(TestTransform()
                                .to("P[n,n]")
                                .to("Q[n,n]")
                                .to("S[n]")
                                .rule({"P.cell(j,0)"}, {})
                                .rule({"P.cell(j,k)"}, {"Q.column(k-1)", "S.cell(k-1)"})
                                .rule({"Q.cell(k,j)"}, {read_of_p, "S.cell(k)"})
                                .rule({"S.cell(k)"}, {read_of_p}));
  };
  const PlannedTransform planned = mixed("P.row(k)");
  ASSERT_EQ(rows_of(planned), "1 slices, ");
  EXPECT_TRUE(is_ordered(planned.only()));
  for (const NestMember& member : planned.only().nests[0].members) EXPECT_EQ(member.coordinates[0].var, "k");
  EXPECT_TRUE(mixed("P").diags.has(DiagKind::NoLegalOrder));
}

}  // namespace
}  // namespace pb
