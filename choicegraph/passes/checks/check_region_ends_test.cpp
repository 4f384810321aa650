// SPDX-License-Identifier: MIT
#include "choicegraph/passes/checks/check_region_ends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using testing::PlannedTransform;
using testing::TestTransform;

/// The kinds of messages about a copy of parts of A to B[n].
std::vector<DiagKind> kinds_of_region(const std::string& region, const std::string& other_cell = "") {
  TestTransform transform = TestTransform().from("A[n]").to("B[n]");
  if (!other_cell.empty()) transform.rule({other_cell}, {}, 0);
  const PlannedTransform planned(transform.rule({"B.cell(i)"}, {region}));
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

/// The kinds of messages about a transform with an output that takes `region`, and all cells of it from another rule.
std::vector<DiagKind> kinds_of_output(const std::string& region) {
  const PlannedTransform planned(
      TestTransform().from("A[n]").to("B[n]").rule({region}, {"A"}).rule({"B.cell(i)"}, {}, 2));
  std::vector<DiagKind> out;
  for (const Diagnostic& diagnostic : planned.diags.all()) out.push_back(diagnostic.kind);
  return out;
}

TEST(PlanRegionEnds, OutputsThatAlwaysEndBeforeTheyBeginAreAnError) {
  EXPECT_THAT(kinds_of_output("B.region(5, 2)"), ElementsAre(DiagKind::RegionEndsBeforeBegin));
  EXPECT_THAT(kinds_of_output("B.region(i+1, i)"), ElementsAre(DiagKind::RegionEndsBeforeBegin));
  EXPECT_THAT(kinds_of_output("B.region(i, i)"), ElementsAre());
  EXPECT_THAT(kinds_of_output("B.region(2, n-2)"), ElementsAre());
}

}  // namespace
}  // namespace pb
