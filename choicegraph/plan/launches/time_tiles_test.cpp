// SPDX-License-Identifier: MIT
// Tests of which nests of versions one launch may run, and which in time tiles. The rules of test transforms have empty
// bodies, and so device versions.
#include "choicegraph/plan/launches/time_tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::PlannedTransform;
using testing::TestTransform;
using ::testing::UnorderedElementsAre;
using testing::versioned_plate;

VersionSteps steps_of(const PlannedTransform& planned) {
  const TransformPlan& plan = planned.only();
  EXPECT_EQ(plan.two_versions.size(), 1U) << planned.text();
  const Nest* nest = plan.two_versions.empty() ? nullptr : nest_of_versions(plan, plan.two_versions.front());
  return nest == nullptr ? VersionSteps() : find_version_steps(planned.transform(), plan, *nest);
}

std::vector<double> depths_of(const PlannedTransform& planned) {
  for (const PlanTunable& tunable : planned.only().tunables)
    if (tunable.role == TunableRole::TimeTile) return {tunable.min, tunable.initial.front(), tunable.max};
  return {};
}

TEST(TimeTiles, AreAsWideAsInstancesRead) {
  const PlannedTransform planned(
      versioned_plate()
          .rule({"T.cell(x,y,k)"}, {"T.cell(x-2,y,k-1)", "T.cell(x+1,y,k-1)", "T.cell(x,y,k-1)"})
          .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2));
  const VersionSteps found = steps_of(planned);
  EXPECT_THAT(found.why_no_tiles, IsEmpty());
  EXPECT_THAT(found.radius, ElementsAre(2, 0));
  EXPECT_EQ(found.steps.size(), 3U) << "the inside and two borders";
  EXPECT_EQ(planned.transform().rules[planned.only().steps[found.main].rule].inputs.size(), 3U);
  EXPECT_THAT(depths_of(planned), ElementsAre(0, 0, 7));
}

TEST(TimeTiles, HaveTheShapeOfTheInsideWhateverBordersRead) {
  const PlannedTransform planned(
      versioned_plate()
          .rule({"T.cell(x,y,k)"}, {"T.cell(x-1,y,k-1)", "T.cell(x+1,y,k-1)"})
          .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)", "A.cell(x,y)", "A.cell(0,y)", "A.cell(x,0)"}, 2));
  const VersionSteps found = steps_of(planned);
  EXPECT_THAT(found.why_no_tiles, IsEmpty());
  EXPECT_EQ(found.steps.size(), 3U) << "the inside and two borders";
  EXPECT_EQ(planned.transform().rules[planned.only().steps[found.main].rule].inputs.size(), 2U);
}

TEST(TimeTiles, OfFixedWidthsHaveTheShapeOfTheLargestBox) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[9,h]")
                                     .from("N[t]")
                                     .through("T[9,h;t]")
                                     .to("B[9,h]")
                                     .rule({"T.cell(x,y,0)"}, {"A.cell(x,y)"})
                                     .rule({"B.cell(x,y)"}, {"T.cell(x,y,t-1)"})
                                     .rule({"T.cell(x,y,k)"}, {"T.cell(x-1,y,k-1)", "T.cell(x+1,y,k-1)"})
                                     .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)", "A.cell(x,y)", "A.cell(0,y)"}, 2));
  const VersionSteps found = steps_of(planned);
  EXPECT_EQ(found.steps.size(), 3U) << found.why_no_tiles;
  EXPECT_EQ(planned.transform().rules[planned.only().steps[found.main].rule].inputs.size(), 2U)
      << "7 columns are more than 1, also where none grows";
}

TEST(TimeTiles, OfRegionsReachToTheirEnds) {
  const PlannedTransform planned(versioned_plate()
                                     .rule({"T.cell(x,y,k)"}, {"T.region(x-1,y-3,k-1,x+3,y+1,k)"})
                                     .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2));
  EXPECT_THAT(steps_of(planned).radius, ElementsAre(2, 3));
}

TEST(TimeTiles, OfPointsHaveNoMargins) {
  EXPECT_THAT(steps_of(PlannedTransform(versioned_plate().rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}))).radius,
              ElementsAre(0, 0));
}

/// A plate whose edges and one corner have rules that name them.
TestTransform framed_plate() {
  return versioned_plate()
      .rule({"T.cell(x,y,k)"}, {"T.cell(x-1,y,k-1)", "T.cell(x+1,y,k-1)", "T.cell(x,y-1,k-1)", "T.cell(x,y+1,k-1)"})
      .rule({"T.cell(0,0,k)"}, {}, 2)
      .rule({"T.cell(x,0,k)"}, {"T.cell(x,0,k-1)"}, 3)
      .rule({"T.cell(x,h-1,k)"}, {"A.cell(x,h-1)"}, 4)
      .rule({"T.cell(0,y,k)"}, {"T.cell(2,y,k-1)"}, 5)
      .rule({"T.cell(w-1,y,k)"}, {"T.cell(w-1,y,k-1)", "T.cell(w-1,y+1,k-1)"}, 6);
}

TEST(TimeTiles, HaveEdgesThatRulesName) {
  const PlannedTransform planned(framed_plate());
  const VersionSteps found = steps_of(planned);
  EXPECT_THAT(found.why_no_tiles, IsEmpty());
  EXPECT_THAT(found.radius, ElementsAre(2, 1)) << "column 0 reads column 2";
  ASSERT_EQ(found.steps.size(), 6U) << planned.text();
  EXPECT_EQ(planned.transform().rules[planned.only().steps[found.main].rule].name, "T#2");
  std::vector<std::string> places;
  for (const CellDims& cells : found.cells) {
    ASSERT_EQ(cells.size(), 2U);
    std::string text;
    for (const CellDim& dim : cells)
      text += (text.empty() ? "" : " x ") + (dim.is_fixed() ? "one" : dim.var) + " in [" + to_string(dim.range.lo) +
              ", " + to_string(dim.range.hi) + ")";
    places.push_back(text);
  }
  EXPECT_THAT(places, UnorderedElementsAre("x in [1, w-1) x y in [1, h-1)",                  //
                                           "one in [0, min(1, w)) x one in [0, min(1, h))",  //
                                           "x in [1, w) x one in [0, min(1, h))",            //
                                           "x in [0, w) x one in [max(1, h-1), h)",          //
                                           "one in [0, min(1, w-2)) x y in [1, h-1)",        //
                                           "one in [max(0, w-1), w) x y in [1, h-1)"))
      << planned.text();
}

TEST(TimeTiles, HaveEdgesInTheMiddle) {
  const VersionSteps found = steps_of(PlannedTransform(versioned_plate()
                                                           .rule({"T.cell(x,h/2,k)"}, {"T.cell(x,h/2+1,k-1)"})
                                                           .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)));
  EXPECT_THAT(found.why_no_tiles, IsEmpty());
  EXPECT_THAT(found.radius, ElementsAre(0, 1));
}

TEST(TimeTiles, NeedARuleWithAllVariables) {
  const VersionSteps found = steps_of(PlannedTransform(TestTransform()
                                                           .from("A[2,h]")
                                                           .from("N[t]")
                                                           .through("T[2,h;t]")
                                                           .to("B[2,h]")
                                                           .rule({"T.cell(x,y,0)"}, {"A.cell(x,y)"})
                                                           .rule({"B.cell(x,y)"}, {"T.cell(x,y,t-1)"})
                                                           .rule({"T.cell(0,y,k)"}, {"T.cell(1,y,k-1)"})
                                                           .rule({"T.cell(1,y,k)"}, {"T.cell(0,y,k-1)"})));
  EXPECT_THAT(found.why_no_tiles, HasSubstr("no rule has a variable for each dimension"));
  EXPECT_THAT(found.steps, IsEmpty());
}

TEST(TimeTiles, NeedEdgesThatReadNearThemselves) {
  const auto with_edge = [](const std::string& input) {
    return steps_of(PlannedTransform(
        versioned_plate().rule({"T.cell(x,0,k)"}, {input}).rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)));
  };
  EXPECT_THAT(with_edge("T.cell(x,h-1,k-1)").why_no_tiles, HasSubstr("more than a fixed neighbourhood"));
  EXPECT_THAT(with_edge("T.cell(0,1,k-1)").why_no_tiles, HasSubstr("more than a fixed neighbourhood"))
      << "one cell for all of the row";
  EXPECT_THAT(with_edge("T.cell(0,1,k-1)").steps, Not(IsEmpty())) << "a launch may still make one version";
  EXPECT_THAT(with_edge("T.cell(x,9,k-1)").why_no_tiles, HasSubstr("far from its own"));
}

TEST(TimeTiles, NeedANeighbourhoodOfConstantSize) {
  const PlannedTransform planned(
      versioned_plate().rule({"T.cell(x,y,k)"}, {"T.region(0,y,k-1,w,y+1,k)", "T.cell(x,y,k-1)"}));
  const VersionSteps found = steps_of(planned);
  EXPECT_THAT(found.why_no_tiles, HasSubstr("more than a fixed neighbourhood"));
  EXPECT_THAT(found.radius, IsEmpty());
  EXPECT_EQ(found.steps.size(), 1U) << "a launch may still make one version";
  EXPECT_THAT(depths_of(planned), IsEmpty());
}

TEST(TimeTiles, NeedNeighboursThatAreNear) {
  EXPECT_THAT(steps_of(PlannedTransform(versioned_plate()
                                            .rule({"T.cell(x,y,k)"}, {"T.cell(x-9,y,k-1)"})
                                            .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)))
                  .why_no_tiles,
              HasSubstr("far from its own"));
}

TEST(TimeTiles, NeedTheVersionBeforeAlone) {
  const VersionSteps found =
      steps_of(PlannedTransform(versioned_plate()
                                    .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)", "T.cell(x-1,y,k)"})
                                    .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)));
  EXPECT_THAT(found.why_no_tiles, HasSubstr("has no version `opencl`")) << "instances of a version need one another";
  EXPECT_THAT(found.steps, IsEmpty());
}

TEST(TimeTiles, NeedSingleCells) {
  const VersionSteps found =
      steps_of(PlannedTransform(versioned_plate().rule({"T.region(0,y,k,w,y+1,k+1)"}, {"T.cell(0,y,k-1)"})));
  EXPECT_THAT(found.why_no_tiles, HasSubstr("no single cells"));
  EXPECT_THAT(found.steps, IsEmpty());
}

TEST(TimeTiles, NeedANestOfVersions) {
  const PlannedTransform planned(TestTransform()
                                     .to("OUT[n,m]")
                                     .rule({"OUT.cell(x,0)"}, {})
                                     .rule({"OUT.cell(x,y)"}, {"OUT.cell(x-1,y-1)", "OUT.cell(x+1,y-1)"})
                                     .rule({"OUT.cell(x,y)"}, {}, 2));
  for (const Nest& nest : planned.only().nests)
    EXPECT_THAT(find_version_steps(planned.transform(), planned.only(), nest).why_no_tiles, HasSubstr("no temporary"));
  EXPECT_FALSE(planned.only().nests.empty());
}

}  // namespace
}  // namespace pb
