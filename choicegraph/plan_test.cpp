// SPDX-License-Identifier: MIT
#include "choicegraph/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "choicegraph/test_plan.h"
#include "frontend/infer_regions/infer_regions.h"

namespace pb {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestTransform;

/// A plan in words.
struct Planned : testing::PlannedTransform {
  explicit Planned(const TestTransform& transform) : PlannedTransform(transform, infer_regions) {}

  [[nodiscard]] std::string text() const { return to_string(plan, program); }
  [[nodiscard]] std::string messages() const {
    std::string out;
    for (const Diagnostic& diagnostic : diags.all()) {
      out += diagnostic.message() + "\n";
      for (const DiagLabel& note : diagnostic.notes) out += "note: " + note.text + "\n";
    }
    return out;
  }
  /// `OUT [0, n) by OUT#1`, one per segment.
  [[nodiscard]] std::vector<std::string> segments() const {
    std::vector<std::string> out;
    for (const Segment& segment : only().segments) {
      std::string line = transform().matrices[segment.matrix].name;
      for (const IndexRange& range : segment.box) line += " [" + to_string(range.lo) + ", " + to_string(range.hi) + ")";
      line += " by";
      for (const RuleId rule : segment.candidates) line += " " + transform().rules[rule].name;
      out.push_back(line);
    }
    return out;
  }
};

TestTransform convolution(const std::string& width) {
  return TestTransform()
      .from("In[w,h]")
      .from("Kernel[KWIDTH]")
      .to("Out[w-KWIDTH+1,h-KWIDTH+1]")
      .rule({"Out.cell(x,y)"}, {"In.region(x,y,x+" + width + ",y+" + width + ")", "Kernel"});
}

/// The kinds of messages about a copy of parts of A to B[n].
std::vector<DiagKind> kinds_of_region(const std::string& region, const std::string& other_cell = "") {
  TestTransform transform = TestTransform().from("A[n]").to("B[n]");
  if (!other_cell.empty()) transform.rule({other_cell}, {}, 0);
  const Planned planned(transform.rule({"B.cell(i)"}, {region}));
  std::vector<DiagKind> out;
  for (const Diagnostic& diagnostic : planned.diags.all()) out.push_back(diagnostic.kind);
  return out;
}

TEST(PlanRegionEnds, AnEndBeforeTheBeginIsAnErrorAtEverySizeElseAWarning) {
  EXPECT_THAT(kinds_of_region("A.region(i+n, i)"), ElementsAre(DiagKind::RegionEndsBeforeBegin));
  EXPECT_THAT(kinds_of_region("A.region(i+1, i)"), ElementsAre(DiagKind::RegionEndsBeforeBegin));
  EXPECT_THAT(kinds_of_region("A.region(i+1, n-1)"), ElementsAre(DiagKind::RegionEndsBeforeBegin));
  EXPECT_THAT(kinds_of_region("A.region(2*i, n)"), ElementsAre(DiagKind::RegionMayEndBeforeBegin));
}

TEST(PlanRegionEnds, EmptyRegionsAreLegal) {
  EXPECT_THAT(kinds_of_region("A.region(0, i)"), ElementsAre());
  EXPECT_THAT(kinds_of_region("A.region(i, n)"), ElementsAre());
  EXPECT_THAT(kinds_of_region("A.region(i, i)"), ElementsAre(DiagKind::EmptyRegion));
}

TEST(PlanRegionEnds, InstancesThatAnotherRuleDisplacesDoNotCount) {
  EXPECT_THAT(kinds_of_region("A.region(i+1, n-1)", "B.cell(n-1)"), ElementsAre());
}

TEST(Plan, OfAConvolutionIsOneParallelStep) {
  const Planned planned(convolution("KWIDTH"));
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
  const Planned planned(convolution("KWIDTH+1"));
  EXPECT_THAT(planned.messages(), HasSubstr("rules leave part of `Out` uncovered: column w-KWIDTH, row h-KWIDTH\n"));
  EXPECT_THAT(planned.messages(), HasSubstr("covers [0, w-KWIDTH) x [0, h-KWIDTH): elsewhere this region leaves `In`"));
}

TEST(Plan, NamesSingleCellsAndRangesThatNoRuleCovers) {
  EXPECT_THAT(Planned(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i-1)"})).messages(),
              HasSubstr("uncovered: cell 0\n"));
  EXPECT_THAT(Planned(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i+3)"})).messages(),
              HasSubstr("uncovered: [n-3, n)\n"));
  EXPECT_THAT(Planned(TestTransform().from("A[n]").to("B[n]").to("C[n]").rule({"B.cell(i)"}, {"A.cell(i)"})).messages(),
              HasSubstr("rules leave part of `C` uncovered: all of it\n"));
}

TEST(Plan, CutsBordersIntoSegments) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .to("OUT[n]")
                            .rule({"OUT.cell(i)"}, {})
                            .rule({"OUT.cell(i)"}, {"A.cell(i-1)"})
                            .rule({"OUT.cell(i)"}, {"A.cell(i-1)", "A.cell(i+1)"}));
  EXPECT_THAT(planned.segments(), ElementsAre("OUT [0, min(1, n)) by OUT#1", "OUT [1, n-1) by OUT#1 OUT#2 OUT#3",
                                              "OUT [max(1, n-1), n) by OUT#1 OUT#2"));
}

TEST(Plan, KeepsOnlyTheBestPriority) {
  const Planned planned(TestTransform().to("OUT[n]").rule({"OUT.cell(0)"}, {}, 0).rule({"OUT.cell(i)"}, {}, 2));
  EXPECT_THAT(planned.segments(), ElementsAre("OUT [0, min(1, n)) by OUT#1", "OUT [1, n) by OUT#2"));
}

TEST(Plan, PutsSegmentsOfAllMatricesWithTheSameCandidatesIntoOneSite) {
  const Planned planned(TestTransform()
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
  const Planned planned(
      TestTransform().from("A[n]").to("B[n]").rule({"B.cell(0)"}, {"A.cell(1)"}).rule({"B.cell(i)"}, {"A.cell(i-1)"}));
  ASSERT_EQ(planned.only().uncovered.size(), 1U) << planned.messages();
  EXPECT_EQ(planned.only().sites.size(), 2U);
}

TEST(Plan, LeavesUnreadPartsOfTemporariesUncovered) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .through("T[n]")
                            .to("B[n-1]")
                            .rule({"T.cell(i)"}, {"A.cell(i+1)"})
                            .rule({"B.cell(i)"}, {"T.cell(i)"}));
  EXPECT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_THAT(planned.only().edges, ElementsAre(StepEdge{StepId(0), StepId(1)}));
}

LoopOrder order_of(const TransformPlan& plan, const std::string& var) {
  LoopOrder out = LoopOrder::Parallel;
  for (const Step& step : plan.steps)
    for (const LoopDim& loop : step.loops)
      if (loop.var == var && loop.order != LoopOrder::Parallel) out = loop.order;
  return out;
}

TEST(Loops, RunUpwardsForReadsFromBelow) {
  const Planned planned(
      TestTransform().to("OUT[n]").rule({"OUT.cell(0)"}, {}).rule({"OUT.cell(i)"}, {"OUT.cell(i-1)"}));
  EXPECT_EQ(order_of(planned.only(), "i"), LoopOrder::Increasing);
}

TEST(Loops, RunDownwardsForReadsFromAbove) {
  const Planned planned(
      TestTransform().to("OUT[n]").rule({"OUT.cell(n-1)"}, {}).rule({"OUT.cell(i)"}, {"OUT.cell(i+1)"}));
  EXPECT_EQ(order_of(planned.only(), "i"), LoopOrder::Decreasing);
}

TEST(Loops, RunUpwardsForPrefixes) {
  const Planned planned(
      TestTransform().from("A[n]").to("OUT[n]").rule({"OUT.cell(i)"}, {"OUT.region(0,i)", "A.cell(i)"}));
  EXPECT_EQ(order_of(planned.only(), "i"), LoopOrder::Increasing);
}

TEST(Loops, StayParallelWhereNothingIsCarried) {
  const Planned planned(TestTransform()
                            .from("A[w,h]")
                            .to("B[w,h]")
                            .rule({"B.row(0)"}, {"A.row(0)"})
                            .rule({"B.cell(x,y)"}, {"B.cell(x,y-1)"}));
  EXPECT_EQ(order_of(planned.only(), "y"), LoopOrder::Increasing);
  EXPECT_EQ(order_of(planned.only(), "x"), LoopOrder::Parallel);
}

TEST(Loops, MoveTheCarryingLoopOutside) {
  const Planned planned(TestTransform()
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
  const Planned planned(TestTransform().to("OUT[n]").rule({"OUT.cell(i)"}, {"OUT.cell(i)"}));
  EXPECT_TRUE(planned.only().steps[StepId(0)].is_data_parallel);
}

TEST(Loops, HaveNoOrderForReadsOnBothSides) {
  const Planned planned(TestTransform()
                            .to("OUT[n]")
                            .rule({"OUT.cell(0)"}, {})
                            .rule({"OUT.cell(n-1)"}, {})
                            .rule({"OUT.cell(i)"}, {"OUT.cell(i-1)", "OUT.cell(i+1)"}));
  EXPECT_TRUE(planned.diags.has(DiagKind::NoLoopOrder)) << planned.messages();
}

TEST(Order, RunsTheWideInstanceBeforeWhoOverwritesIt) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .to("OUT[n]")
                            .rule({"OUT"}, {"A"})
                            .rule({"OUT.cell(i)"}, {"A.cell(i-1)", "A.cell(i+1)"}));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_THAT(planned.only().edges, ElementsAre(StepEdge{StepId(0), StepId(1)}));
  EXPECT_EQ(planned.only().steps[StepId(0)].rule, RuleId(0));
}

TEST(Order, RunsProducersBeforeConsumersAgainstTheHeader) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .to("B[n]")
                            .through("T[n]")
                            .rule({"B.cell(i)"}, {"T.cell(i)"})
                            .rule({"T.cell(i)"}, {"A.cell(i)"}));
  EXPECT_EQ(planned.only().steps[StepId(0)].rule, RuleId(1));
}

/// `name: alternative alternative …`, one per site.
std::vector<std::string> sites_of(const Planned& planned) {
  std::vector<std::string> out;
  for (const Site& site : planned.only().sites) {
    std::string line = site.name + ":";
    for (const Alternative& alternative : site.alternatives) line += " " + alternative.name;
    out.push_back(line);
  }
  return out;
}

TEST(MergedSite, OfAWideRuleHasEveryAssignmentOfItsParts) {
  const Planned planned(
      TestTransform().to("C[n]").rule({"C.region(0,n/2)"}, {}).rule({"C.region(n/2,n)"}, {}).rule({"C"}, {}));
  EXPECT_EQ(planned.messages(), "");
  EXPECT_THAT(sites_of(planned), ElementsAre("C#1|C#3&C#2|C#3: C#1&C#2 C#1&C#3 C#3&C#2 C#3&C#3"));
  // The wide rule has a step for both halves, for each alone, and one for n = 1, where there is one half only.
  EXPECT_EQ(planned.only().steps.size(), 6U);
}

TEST(MergedSite, OfARuleWithSeveralOutputsTakesItForAllOrForNone) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .to("P[n]")
                            .to("Q[n]")
                            .rule({"P.cell(i)", "Q.cell(i)"}, {"A.cell(i)"})
                            .rule({"P.cell(i)"}, {"A.cell(i)"})
                            .rule({"Q.cell(i)"}, {"A.cell(i)"}));
  EXPECT_EQ(planned.messages(), "");
  EXPECT_THAT(sites_of(planned), ElementsAre("P+Q#1|P#1&P+Q#1|Q#1: P+Q#1&P+Q#1 P#1&Q#1"));
}

TEST(MergedSite, WithOnePartThatOnlyTheSharedRuleCoversLeavesNoChoice) {
  const Planned planned(
      TestTransform().to("P[n]").to("Q[n]").rule({"P.cell(i)", "Q.cell(i)"}, {}).rule({"Q.cell(i)"}, {}));
  EXPECT_THAT(sites_of(planned), ElementsAre("P+Q#1&P+Q#1|Q#1: P+Q#1&P+Q#1"));
  EXPECT_EQ(planned.only().steps.size(), 1U);
}

TEST(MergedSite, HoldsWhereBothCandidatesRunAnyway) {
  // Of the first half and of the blocks from the second on, each has cells where the other is no candidate.
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .to("C[n]")
                            .rule({"C.region(0,n/2)"}, {})
                            .rule({"C.region(4*i,4*i+4)"}, {"A.cell(i-1)"})
                            .rule({"C.cell(i)"}, {}, 2));
  ASSERT_EQ(planned.messages(), "");
  EXPECT_THAT(sites_of(planned), Contains("C#1&C#1|C#2&C#2: C#1&C#1&C#2 C#1&C#2&C#2"));
  EXPECT_TRUE(planned.only().forbidden.empty());
  EXPECT_TRUE(is_ordered(planned.only()));
}

TEST(Steps, OfOneRuleThatWriteTheSameCellsRunOneAfterTheOther) {
  const auto plan_of = [](const std::string& region) {
    return Planned(TestTransform().to("P[n+6]").rule({region}, {}).where("i", RelationOp::NotEqual, "2"));
  };
  const Planned planned = plan_of("P.region(i, i+3)");
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_THAT(planned.only().edges, ElementsAre(StepEdge{StepId(0), StepId(1)})) << planned.text();
  const Planned apart = plan_of("P.region(i, i+2)");
  ASSERT_FALSE(apart.diags.has_errors()) << apart.messages();
  EXPECT_TRUE(apart.only().edges.empty()) << apart.text();
}

/// A rule for all of `P` and `count` rules for one cell each; some pairs of cells have a rule for both.
TestTransform cells_of_a_wide_rule(int count, bool has_pairs) {
  TestTransform out;
  out.to("P[" + std::to_string(count) + "]").rule({"P"}, {});
  for (int i = 0; i < count; ++i) out.rule({"P.cell(" + std::to_string(i) + ")"}, {});
  for (int i = 0; has_pairs && i + 1 < count; i += 2)
    out.rule({"P.cell(" + std::to_string(i) + ")", "P.cell(" + std::to_string(i + 1) + ")"}, {});
  return out;
}

TEST(MergedSite, WithTooManyAssignmentsKeepsTheDefaultAndOneChangePerPart) {
  EXPECT_FALSE(Planned(cells_of_a_wide_rule(6, false)).diags.has(DiagKind::ManyAssignments));
  const Planned planned(cells_of_a_wide_rule(20, false));
  EXPECT_TRUE(planned.diags.has(DiagKind::ManyAssignments)) << planned.messages();
  ASSERT_FALSE(planned.diags.has_errors());
  ASSERT_EQ(planned.only().sites.size(), 1U);
  const std::vector<Alternative>& alternatives = planned.only().sites[SiteId(0)].alternatives;
  ASSERT_EQ(alternatives.size(), 21U);
  for (std::size_t i = 1; i < alternatives.size(); ++i) {
    std::size_t num_changes = 0;
    for (std::size_t part = 0; part < 20; ++part)
      if (alternatives[i].rules[part] != alternatives[0].rules[part]) ++num_changes;
    EXPECT_EQ(num_changes, 1U) << alternatives[i].name;
  }
}

TEST(MergedSite, WithTooManyAssignmentsChangesTiedPartsTogether) {
  const Planned planned(cells_of_a_wide_rule(20, true));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  ASSERT_EQ(planned.only().sites.size(), 1U);
  std::set<RuleId> chosen;
  for (const Alternative& alternative : planned.only().sites[SiteId(0)].alternatives)
    chosen.insert(alternative.rules.begin(), alternative.rules.end());
  EXPECT_EQ(chosen.size(), 31U);
}

TEST(MergedSite, WithoutAConsistentAssignmentIsAnError) {
  const Planned planned(TestTransform()
                            .to("P[n]")
                            .to("Q[n]")
                            .to("S[n]")
                            .rule({"P.cell(i)", "Q.cell(i)"}, {})
                            .rule({"Q.cell(i)", "S.cell(i)"}, {}));
  EXPECT_EQ(planned.messages(),
            "no choice of rules fits `P`, `Q`, `S`: a rule with several outputs is chosen for all of them or for none\n"
            "note: rule `P+Q#1` writes several of them\nnote: rule `Q+S#1` writes several of them\n");
}

/// Matrices M0 … M`count-1`, each from the input or from the one after it, in a circle.
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
  const Planned planned(circle(3, "i"));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  ASSERT_EQ(planned.only().forbidden.size(), 1U);
  EXPECT_EQ(planned.only().forbidden[0].size(), 3U);
  EXPECT_TRUE(planned.only().nests.empty());
  EXPECT_FALSE(is_ordered(planned.only()));
}

TEST(Choices, RunInSlicesWhereThatIsAnOrder) {
  const Planned planned(circle(3, "i-1"));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  EXPECT_TRUE(planned.only().forbidden.empty());
  ASSERT_EQ(planned.only().nests.size(), 1U);
  EXPECT_EQ(planned.only().nests[0].members.size(), 3U);
  EXPECT_FALSE(always_runs(planned.only(), planned.only().nests[0]));
}

TEST(Choices, AreExaminedAloneWhereThereAreTooMany) {
  const Planned planned(circle(13, "i"));
  EXPECT_TRUE(planned.diags.has(DiagKind::ManyAssignments)) << planned.messages();
  ASSERT_FALSE(planned.diags.has_errors());
  EXPECT_EQ(planned.only().forbidden.size(), 13U * 12U / 2U);
}

TEST(Choices, WithoutAnyOrderAreAnError) {
  const Planned planned(TestTransform()
                            .from("A[n]")
                            .to("P[n]")
                            .to("Q[n]")
                            .rule({"P.cell(i)"}, {"Q.cell(i)"})
                            .rule({"Q.cell(i)"}, {"P.cell(i)"}));
  EXPECT_TRUE(planned.diags.has(DiagKind::NoLegalOrder));
  EXPECT_THAT(planned.messages(), HasSubstr("rule `Q#1` -> `Q` -> rule `P#1` -> `P` -> rule `Q#1`"));
}

/// Coefficients and kinds of the rows of the only nest.
std::string rows_of(const Planned& planned) {
  if (planned.only().nests.size() != 1) return planned.messages() + planned.text();
  std::string out;
  for (const NestRow& row : planned.only().nests[0].rows) {
    for (const int c : row.coefficients) out += std::to_string(c) + " ";
    out += row.kind == RowKind::Parallel ? "parallel, " : row.kind == RowKind::Carried ? "carried, " : "slices, ";
  }
  return out;
}

/// A matrix over x and y whose cells need those at `inputs`; the borders are computed otherwise.
TestTransform grid_of(const std::vector<std::string>& inputs) {
  return TestTransform().to("C[w,h]").rule({"C.cell(x,y)"}, inputs).rule({"C.cell(x,y)"}, {}, 2);
}

TEST(Nests, CutWavefrontsIntoTiles) {
  EXPECT_EQ(rows_of(Planned(grid_of({"C.cell(x-1,y)", "C.cell(x,y-1)", "C.cell(x-1,y-1)"}))),
            "0 1 carried, 1 0 carried, ");
  EXPECT_EQ(rows_of(Planned(grid_of({"C.cell(x+1,y)", "C.cell(x,y-1)"}))), "0 1 carried, -1 0 carried, ");
}

TEST(Nests, SkewWhereNoDimensionIsLegal) {
  EXPECT_EQ(rows_of(Planned(grid_of({"C.cell(x-1,y)", "C.cell(x,y-1)", "C.cell(x-1,y+1)"}))),
            "1 1 carried, 1 0 carried, ");
  EXPECT_EQ(rows_of(Planned(grid_of({"C.cell(x-2,y+1)", "C.cell(x+1,y-2)"}))), "1 1 carried, 2 1 carried, ");
}

TEST(Nests, LeaveDimensionsParallelThatCarryNothing) {
  EXPECT_EQ(rows_of(Planned(grid_of({"C.cell(x,y-1)"}))), "0 1 carried, 1 0 parallel, ");
}

TEST(Nests, AreSlicesWhereOneDimensionCarriesAll) {
  EXPECT_EQ(rows_of(Planned(grid_of({"C.cell(x-1,y-1)", "C.cell(x+1,y-1)"}))), "1 slices, ");
  EXPECT_EQ(rows_of(Planned(grid_of({"C.row(y-1)"}))), "1 slices, ");
}

TEST(Nests, JoinStepsThatNeedEachOther) {
  const Planned planned(TestTransform()
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

/// P and Q by one rule that reads Q at `from_q`; most cells of Q by another one, which reads P at `from_p`.
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
  const Planned planned(overwritten("Q.cell(i-1)", "P.cell(i-1)"));
  ASSERT_EQ(rows_of(planned), "1 slices, ");
  const Nest& nest = planned.only().nests[0];
  ASSERT_EQ(nest.members.size(), 2U);
  EXPECT_EQ(planned.only().steps[nest.members[0].step].rule, RuleId(0));  // in each slice first
  EXPECT_EQ(planned.only().steps[nest.members[1].step].rule, RuleId(1));
}

TEST(Nests, LetWhatIsOverwrittenComeFirst) {
  // The second rule writes Q(i) after the first one did, and Q(i+1) before the first one comes to i.
  EXPECT_EQ(rows_of(Planned(overwritten("Q.cell(i+1)", "Q.cell(i+2)"))), "-1 slices, ");
  const Planned planned(overwritten("Q.region(i-1,i+2)", "P.cell(i-1)"));
  EXPECT_TRUE(planned.diags.has(DiagKind::NoLegalOrder));
  EXPECT_THAT(planned.messages(), HasSubstr("rule `Q#1` -> `Q` -> rule `P+Q#1` -> `P` -> rule `Q#1`"));
}

TEST(Choices, WithoutAnyOrderSayWhatIsOverwritten) {
  const Planned planned(TestTransform()
                            .to("P[n]")
                            .to("Q[n]")
                            .rule({"P.cell(i)", "Q.cell(i)"}, {"Q.cell(i-1)", "Q.cell(i+1)"}, 2)
                            .rule({"Q.cell(i)"}, {}, 1)
                            .rule({"P.cell(i)"}, {}, 3));
  EXPECT_THAT(planned.messages(), HasSubstr("note: rule `Q#1` overwrites a part of `Q` that rule `P+Q#1` writes"));
}

TEST(Nests, ShiftMembersWhoseReadsPointBothWays) {
  const Planned planned(TestTransform()
                            .to("P[n]")
                            .to("Q[n]")
                            .rule({"P.cell(i)"}, {"Q.cell(i+1)"})
                            .rule({"Q.cell(i)"}, {"P.cell(i-2)"})
                            .rule({"P.cell(i)"}, {}, 2)
                            .rule({"Q.cell(i)"}, {}, 2));
  EXPECT_EQ(rows_of(planned), "1 slices, ");
}

TEST(Nests, RunAlongAnotherDimensionOfEachMatrix) {
  const auto mixed = [](const std::string& read_of_p) {
    return Planned(TestTransform()
                       .to("P[n,n]")
                       .to("Q[n,n]")
                       .to("S[n]")
                       .rule({"P.cell(j,0)"}, {})
                       .rule({"P.cell(j,k)"}, {"Q.column(k-1)", "S.cell(k-1)"})
                       .rule({"Q.cell(k,j)"}, {read_of_p, "S.cell(k)"})
                       .rule({"S.cell(k)"}, {read_of_p}));
  };
  const Planned planned = mixed("P.row(k)");
  ASSERT_EQ(rows_of(planned), "1 slices, ");
  EXPECT_TRUE(is_ordered(planned.only()));
  for (const NestMember& member : planned.only().nests[0].members) EXPECT_EQ(member.coordinates[0].var, "k");
  EXPECT_TRUE(mixed("P").diags.has(DiagKind::NoLegalOrder));
}

TEST(PlanText, IsReadBackWithGuardsShapesAndTunables) {
  const Planned planned(TestTransform()
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
  const Planned planned(convolution("KWIDTH"));
  std::string text = planned.text();
  text.replace(text.find("segment"), 7, "segmemt");
  EXPECT_THAT(parse_plan(text, planned.program).error, HasSubstr("line 2"));
}

TEST(PlanGraph, IsAlsoAPicture) {
  const Planned planned(grid_of({"C.cell(x-1,y)", "C.cell(x,y-1)"}));
  const std::string picture = to_svg(planned.plan, planned.program);
  EXPECT_THAT(picture, HasSubstr("<svg "));
  EXPECT_THAT(picture, HasSubstr("C#1: in tiles"));
  EXPECT_THAT(picture, HasSubstr("</svg>"));
  // One rounded box per step, one plain box per segment.
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = picture.find(text); at != std::string::npos; at = picture.find(text, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("rx=\"18\""), planned.only().steps.size());
  EXPECT_EQ(count("rx=\"2\""), planned.only().segments.size());
}

TEST(PlanGraph, DrawsSegmentsStepsAndInputs) {
  const Planned planned(convolution("KWIDTH"));
  const std::string graph = to_graphviz(planned.plan, planned.program);
  EXPECT_THAT(graph, HasSubstr("label=\"Out [0, w-KWIDTH+1) [0, h-KWIDTH+1)\""));
  EXPECT_THAT(graph, HasSubstr("s0_0 -> d0_0;"));
  EXPECT_THAT(graph, HasSubstr("m0_0 -> s0_0;"));
}

}  // namespace
}  // namespace pb
