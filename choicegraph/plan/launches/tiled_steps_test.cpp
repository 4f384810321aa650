// SPDX-License-Identifier: MIT
// Tests of which temporaries may be computed per tile of their reader, by a device or by the CPU. The rules of test
// transforms have empty bodies, and so device versions.
#include "choicegraph/plan/launches/tiled_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PlannedTransform;
using ::testing::SizeIs;
using testing::TestTransform;

/// A temporary T[w, h] of A, and results B that have fewer cells than A by `less`.
TestTransform two_steps(const std::string& less = "[w-9,h-9]") {
  return TestTransform().from("A[w,h]").through("T[w,h]").to("B" + less);
}

/// What is computed per tile of the step whose rule has that number.
TiledSteps of_rule(const PlannedTransform& planned, std::size_t rule, TileKind kind = TileKind::WorkGroups) {
  const TransformPlan& plan = planned.only();
  for (const StepId id : plan.steps.ids())
    if (plan.steps[id].rule.index() == rule) return find_tiled_steps(planned.transform(), plan, id, kind);
  ADD_FAILURE() << "the rule has no step\n" << planned.text();
  return {};
}

std::vector<std::string> tunables_of(const PlannedTransform& planned, TunableRole role = TunableRole::PerTile) {
  std::vector<std::string> out;
  for (const PlanTunable& tunable : planned.only().tunables)
    if (tunable.role == role) out.push_back(tunable.name);
  return out;
}

/// Expects that the temporary that rule 1 reads is stored, for a reason.
void expect_stored(const TestTransform& transform, const std::string& why) {
  const PlannedTransform planned(transform);
  const TiledSteps found = of_rule(planned, 1);
  EXPECT_THAT(found.matrices, IsEmpty()) << planned.text();
  EXPECT_THAT(found.why_not, HasSubstr(why));
  EXPECT_THAT(tunables_of(planned), IsEmpty());
}

TEST(TiledSteps, NeedWhatInstancesRead) {
  const PlannedTransform planned(two_steps()
                                     .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                                     .rule({"B.cell(x,y)"}, {"T.cell(x,y+2)", "T.region(x+1,y,x+4,y+1)"}));
  const TiledSteps found = of_rule(planned, 1);
  ASSERT_THAT(found.matrices, SizeIs(1)) << found.why_not;
  EXPECT_THAT(found.matrices.front().lo, ElementsAre(0, 0));
  EXPECT_THAT(found.matrices.front().hi, ElementsAre(4, 3));
  EXPECT_THAT(found.matrices.front().steps, SizeIs(1));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_THAT(tunables_of(planned), SizeIs(1));
}

TEST(TiledSteps, MayReadBehindTheirOwnCells) {
  const PlannedTransform planned(two_steps("[w,h]")
                                     .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                                     .rule({"B.cell(x,y)"}, {"T.cell(x-3,y)", "T.cell(x,y+1)"})
                                     .rule({"B.cell(x,y)"}, {"A.cell(x,y)"}, 2));
  const TiledSteps found = of_rule(planned, 1);
  ASSERT_THAT(found.matrices, SizeIs(1)) << found.why_not;
  EXPECT_THAT(found.matrices.front().lo, ElementsAre(-3, 0));
  EXPECT_THAT(found.matrices.front().hi, ElementsAre(1, 2));
}

TEST(TiledSteps, BeginWithTheInsideWhateverBordersRead) {
  const PlannedTransform planned(two_steps()
                                     .rule({"T.cell(x,y)"}, {"A.cell(x-1,y)"})
                                     .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                                     .rule({"T.cell(x,y)"}, {"A.cell(x,y)", "A.cell(0,y)", "A.cell(x,0)"}, 2));
  const TransformPlan& plan = planned.only();
  const TiledSteps found = of_rule(planned, 1);
  ASSERT_THAT(found.matrices, SizeIs(1)) << found.why_not;
  ASSERT_THAT(found.matrices.front().steps, SizeIs(2));
  EXPECT_EQ(plan.steps[found.matrices.front().steps.front()].rule.index(), 0U);
}

TEST(TiledSteps, MayHaveBordersOfOtherRules) {
  const PlannedTransform planned(two_steps()
                                     .rule({"T.cell(x,y)"}, {"A.cell(x-1,y)", "A.cell(x+1,y)"})
                                     .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                                     .rule({"T.cell(x,y)"}, {"A.cell(x,y)"}, 2));
  const TiledSteps found = of_rule(planned, 1);
  ASSERT_THAT(found.matrices, SizeIs(1)) << found.why_not;
  const TransformPlan& plan = planned.only();
  EXPECT_THAT(found.matrices.front().steps, SizeIs(3)) << "the inside and two borders";
  EXPECT_EQ(plan.steps[found.matrices.front().steps.front()].rule.index(), 0U) << "the inside has most to do";
}

TEST(TiledSteps, MayHaveBordersThatNameACoordinate) {
  const PlannedTransform planned(two_steps("[w-1,h]")
                                     .through("U[w,h]")
                                     .rule({"T.cell(x,y)"}, {"U.cell(x,y-1)"})
                                     .rule({"B.cell(x,y)"}, {"T.cell(x,y)", "T.cell(x+1,y)"})
                                     .rule({"T.cell(x,0)"}, {"U.cell(x,2)"}, 2)
                                     .rule({"U.cell(x,y)"}, {"A.cell(x,y)"}));
  const TransformPlan& plan = planned.only();
  const TiledSteps found = of_rule(planned, 1);
  ASSERT_THAT(found.matrices, SizeIs(2)) << found.why_not << planned.text();
  EXPECT_THAT(found.matrices.front().hi, ElementsAre(2, 3)) << "row 0 of T reads row 2 of U";
  const TiledMatrix& tiled = found.matrices.back();
  ASSERT_THAT(tiled.steps, SizeIs(2));
  EXPECT_EQ(plan.steps[tiled.steps.front()].rule.index(), 0U);
  EXPECT_THAT(variables_of(tiled.cells.back()), ElementsAre("x", ""));
  EXPECT_THAT(of_rule(planned, 1, TileKind::Bands).matrices, IsEmpty()) << "bands cut a loop along the rows";
}

TEST(TiledSteps, NeedAMakerWithAllVariables) {
  expect_stored(TestTransform()
                    .from("A[h]")
                    .through("T[2,h]")
                    .to("B[2,h]")
                    .rule({"T.cell(0,y)"}, {"A.cell(y)"})
                    .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                    .rule({"T.cell(1,y)"}, {"A.cell(y)"}),
                "no rule with a variable for each dimension");
}

TEST(TiledSteps, MayReadOneAnother) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[w]")
                                     .through("T[w]")
                                     .through("U[w-2]")
                                     .to("B[w-5]")
                                     .rule({"T.cell(x)"}, {"A.cell(x)"})
                                     .rule({"U.cell(x)"}, {"T.cell(x)", "T.cell(x+2)"})
                                     .rule({"B.cell(x)"}, {"U.cell(x+3)", "U.cell(x+1)", "T.cell(x)"}));
  const TiledSteps found = of_rule(planned, 2);
  ASSERT_THAT(found.matrices, SizeIs(2)) << found.why_not;
  EXPECT_EQ(planned.transform().matrices[found.matrices.front().matrix].name, "T") << "what is read is made first";
  EXPECT_THAT(found.matrices.front().lo, ElementsAre(0));
  EXPECT_THAT(found.matrices.front().hi, ElementsAre(6)) << "U needs what lies two cells beyond";
  EXPECT_THAT(found.matrices.back().lo, ElementsAre(1));
  EXPECT_THAT(found.matrices.back().hi, ElementsAre(4));
  EXPECT_THAT(of_rule(planned, 1).why_not, HasSubstr("is read by"));
}

TEST(TiledSteps, StoreWhatOthersRead) {
  expect_stored(two_steps("[w-9,h-9]")
                    .to("C[w,h]")
                    .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                    .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                    .rule({"C.cell(x,y)"}, {"T.cell(x,y)"}),
                "is read by `C#1`, too");
}

TEST(TiledSteps, StoreResults) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[w,h]")
                                     .to("T[w,h]")
                                     .to("B[w,h]")
                                     .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                                     .rule({"B.cell(x,y)"}, {"T.cell(x,y)"}));
  EXPECT_THAT(of_rule(planned, 1).matrices, IsEmpty());
  EXPECT_THAT(of_rule(planned, 1).why_not, IsEmpty()) << "it is no temporary";
}

TEST(TiledSteps, StoreWhatIsReadFarAway) {
  const auto step = [] { return two_steps("[w-99,h]").rule({"T.cell(x,y)"}, {"A.cell(x,y)"}); };
  expect_stored(step().rule({"B.cell(x,y)"}, {"T.row(y)"}), "more than a fixed neighbourhood");
  expect_stored(step().rule({"B.cell(x,y)"}, {"T.cell(x,h-1-y)"}), "more than a fixed neighbourhood");
  expect_stored(step().rule({"B.cell(x,y)"}, {"T.cell(x+80,y)"}), "far cells");
}

TEST(TiledSteps, StoreWhatHasOtherDimensions) {
  expect_stored(TestTransform()
                    .from("A[w]")
                    .through("T[w]")
                    .to("B[w,h]")
                    .rule({"T.cell(x)"}, {"A.cell(x)"})
                    .rule({"B.cell(x,y)"}, {"T.cell(x)"}),
                "dimension per loop");
}

TEST(TiledSteps, StoreWhatIsMadeInRows) {
  expect_stored(two_steps().rule({"T.row(y)"}, {"A.row(y)"}).rule({"B.cell(x,y)"}, {"T.cell(x,y)"}), "single cells");
}

TEST(TiledSteps, StoreWhatSeveralRulesMayMake) {
  expect_stored(two_steps()
                    .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                    .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                    .rule({"T.cell(x,y)"}, {"A.cell(x,y)", "A.cell(x,y)"}),
                "of which one is chosen");
}

TEST(TiledSteps, StoreWhatNeedsItself) {
  expect_stored(two_steps()
                    .rule({"T.cell(x,y)"}, {"T.cell(x-1,y)"})
                    .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                    .rule({"T.cell(x,y)"}, {"A.cell(x,y)"}, 2),
                "`");
}

/// Expects that no band of rule 1 has the temporary that it reads, for a reason.
void expect_no_bands(const TestTransform& transform, const std::string& why) {
  const PlannedTransform planned(transform);
  const TiledSteps found = of_rule(planned, 1, TileKind::Bands);
  EXPECT_THAT(found.matrices, IsEmpty()) << planned.text();
  EXPECT_THAT(found.why_not, HasSubstr(why));
  EXPECT_THAT(tunables_of(planned, TunableRole::Bands), IsEmpty());
}

/// The rows that bands of a rule need of its only temporary.
void expect_rows(const TestTransform& transform, std::int64_t lo, std::int64_t hi) {
  const PlannedTransform planned(transform);
  const TiledSteps found = of_rule(planned, 1, TileKind::Bands);
  ASSERT_THAT(found.matrices, SizeIs(1)) << found.why_not;
  EXPECT_THAT(found.matrices.front().lo, ElementsAre(lo));
  EXPECT_THAT(found.matrices.front().hi, ElementsAre(hi));
  EXPECT_THAT(tunables_of(planned, TunableRole::Bands), ElementsAre("B#1.cpu.bands"));
}

TEST(TiledSteps, BandsNeedRowsNearby) {
  const auto steps = [] { return two_steps().rule({"T.cell(x,y)"}, {"A.cell(x,y)"}); };
  expect_rows(steps().rule({"B.cell(x,y)"}, {"T.cell(x,y+2)", "T.region(x+1,y,x+4,y+1)"}), 0, 3);
  expect_rows(steps().rule({"B.cell(x,y)"}, {"T.row(y)"}), 0, 1);
  expect_rows(steps().rule({"B.cell(x,y)"}, {"T.cell(w-1-x,y+1)"}), 1, 2);
  expect_rows(steps().rule({"B.cell(x,y)"}, {"T.cell(0,y)", "T.cell(w-1,y+5)"}), 0, 6);
}

TEST(TiledSteps, BandsOfOneAndThreeDimensions) {
  expect_rows(TestTransform()
                  .from("A[n]")
                  .through("T[n]")
                  .to("B[n-4]")
                  .rule({"T.cell(i)"}, {"A.cell(i)"})
                  .rule({"B.cell(i)"}, {"T.cell(i)", "T.cell(i+4)"}),
              0, 5);
  expect_rows(TestTransform()
                  .from("A[w,h,d]")
                  .through("T[w,h,d]")
                  .to("B[w,h,d-2]")
                  .rule({"T.cell(x,y,z)"}, {"A.cell(x,y,z)"})
                  .rule({"B.cell(x,y,z)"}, {"T.cell(x,y,z+2)", "T.cell(x,h-1-y,z)"}),
              0, 3);
}

TEST(TiledSteps, BandsMayHaveFewerDimensions) {
  expect_rows(TestTransform()
                  .from("A[h]")
                  .through("T[h]")
                  .to("B[w,h]")
                  .rule({"T.cell(y)"}, {"A.cell(y)"})
                  .rule({"B.cell(x,y)"}, {"T.cell(y)"}),
              0, 1);
}

TEST(TiledSteps, BandsOfSteps) {
  const PlannedTransform planned(
      two_steps().rule({"T.cell(x,y)"}, {"A.cell(x,y)"}).rule({"B.cell(x,y)"}, {"T.cell(x,y)"}));
  const TiledSteps found = of_rule(planned, 1, TileKind::Bands);
  ASSERT_THAT(found.matrices, SizeIs(1)) << found.why_not;
  EXPECT_EQ(found.makers(), found.matrices.front().steps);
  EXPECT_TRUE(found.is_maker(found.makers().front()));
  EXPECT_FALSE(found.is_maker(found.reader));
  ASSERT_THAT(found.matrices.front().row_loops, SizeIs(1));
  const Step& maker = planned.only().steps[found.makers().front()];
  EXPECT_EQ(maker.loops[found.matrices.front().row_loops.front()].var, "y");
}

TEST(TiledSteps, BandsOfChainsNeedWhatLaterOnesNeed) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[w]")
                                     .through("T[w]")
                                     .through("U[w-2]")
                                     .to("B[w-5]")
                                     .rule({"T.cell(x)"}, {"A.cell(x)"})
                                     .rule({"U.cell(x)"}, {"T.cell(x)", "T.cell(x+2)"})
                                     .rule({"B.cell(x)"}, {"U.cell(x+3)", "U.cell(x+1)"}));
  const TiledSteps whole = of_rule(planned, 2, TileKind::Bands);
  const TiledSteps first = of_rule(planned, 1, TileKind::Bands);
  ASSERT_THAT(whole.matrices, SizeIs(2)) << whole.why_not;
  ASSERT_THAT(first.matrices, SizeIs(1)) << first.why_not;
  EXPECT_THAT(whole.matrices.front().lo, ElementsAre(1));
  EXPECT_THAT(whole.matrices.front().hi, ElementsAre(6)) << "U needs what lies two cells beyond";
  EXPECT_THAT(whole.matrices.back().hi, ElementsAre(4));
  EXPECT_THAT(behind_their_readers({&first, &whole}), ElementsAre(1, 0));
}

TEST(TiledSteps, NoBandsOfWhatLiesElsewhere) {
  const auto steps = [] { return two_steps("[w-99,h-99]").rule({"T.cell(x,y)"}, {"A.cell(x,y)"}); };
  expect_no_bands(steps().rule({"B.cell(x,y)"}, {"T.column(x)"}), "more than a fixed neighbourhood");
  expect_no_bands(steps().rule({"B.cell(x,y)"}, {"T.cell(x,h-1-y)"}), "more than a fixed neighbourhood");
  expect_no_bands(steps().rule({"B.cell(x,y)"}, {"T.cell(x,y+80)"}), "far cells");
  expect_no_bands(steps().rule({"B.row(y)"}, {"T.row(y)"}), "more than single cells");
  expect_no_bands(two_steps().rule({"T.row(y)"}, {"A.row(y)"}).rule({"B.cell(x,y)"}, {"T.cell(x,y)"}), "single cells");
  expect_no_bands(two_steps().rule({"T.cell(x,h-1-y)"}, {"A.cell(x,y)"}).rule({"B.cell(x,y)"}, {"T.cell(x,y)"}),
                  "in another way than by its variables");
  expect_no_bands(TestTransform()
                      .from("A[n]")
                      .through("T[2*n,n]")
                      .to("B[n,n]")
                      .rule({"T.cell(2*x,y)"}, {"A.cell(x)"})
                      .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                      .rule({"T.cell(2*x+1,y)"}, {"A.cell(x)"}),
                  "in another way than by its variables");
}

TEST(TiledSteps, NoBandsOfWhatReadsInputsInAnotherOrder) {
  const auto steps = [](const std::string& read) {
    return two_steps("[w-9,h-9]")
        .from("Turned[h,w]")
        .rule({"T.cell(x,y)"}, {read})
        .rule({"B.cell(x,y)"}, {"T.cell(x,y)"});
  };
  expect_no_bands(steps("A.column(x)"), "`T#1` reads `A` in another order than by rows");
  expect_no_bands(steps("Turned.cell(y,x)"), "in another order than by rows");
  expect_no_bands(steps("A.cell(x,h-1-y)"), "in another order than by rows");
  expect_no_bands(two_steps("[w-9,h-9]")
                      .from("Turned[h,w]")
                      .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                      .rule({"B.cell(x,y)"}, {"T.cell(x,y)", "Turned.cell(y,x)"}),
                  "`B#1` reads `Turned`");
  for (const char* read : {"A.row(y)", "A.cell(w-1-x,y+3)", "A.cell(x,3)", "A.region(0,0,w,h)"}) {
    const PlannedTransform planned(steps(read));
    EXPECT_THAT(of_rule(planned, 1, TileKind::Bands).matrices, SizeIs(1)) << read;
  }
}

TEST(TiledSteps, NoBandsOfWhatOthersReadOrMayMake) {
  expect_no_bands(two_steps("[w-9,h-9]")
                      .to("C[w,h]")
                      .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                      .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                      .rule({"C.cell(x,y)"}, {"T.cell(x,y)"}),
                  "is read by `C#1`, too");
  expect_no_bands(two_steps()
                      .rule({"T.cell(x,y)"}, {"A.cell(x,y)"})
                      .rule({"B.cell(x,y)"}, {"T.cell(x,y)"})
                      .rule({"T.cell(x,y)"}, {"A.cell(x,y)", "A.cell(x,y)"}),
                  "of which one is chosen");
}

}  // namespace
}  // namespace pb
