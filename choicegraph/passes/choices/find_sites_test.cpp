// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/find_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::PlannedTransform;
using testing::TestTransform;

/// `name: alternative alternative …`, one per site.
std::vector<std::string> sites_of(const PlannedTransform& planned) {
  std::vector<std::string> out;
  for (const Site& site : planned.only().sites) {
    std::string line = site.name + ":";
    for (const Alternative& alternative : site.alternatives) line += " " + alternative.name;
    out.push_back(line);
  }
  return out;
}

TEST(MergedSite, OfAWideRuleHasEveryAssignmentOfItsParts) {
  const PlannedTransform planned(
      TestTransform().to("C[n]").rule({"C.region(0,n/2)"}, {}).rule({"C.region(n/2,n)"}, {}).rule({"C"}, {}));
  EXPECT_EQ(planned.messages(), "");
  EXPECT_THAT(sites_of(planned), ElementsAre("C#1|C#3&C#2|C#3: C#1&C#2 C#1&C#3 C#3&C#2 C#3&C#3"));
  // The wide rule has a step for both halves, for each alone, and one for n = 1, where there is one half only.
  EXPECT_EQ(planned.only().steps.size(), 6U);
}

TEST(MergedSite, OfARuleWithSeveralOutputsTakesItForAllOrForNone) {
  const PlannedTransform planned(TestTransform()
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
  const PlannedTransform planned(
      TestTransform().to("P[n]").to("Q[n]").rule({"P.cell(i)", "Q.cell(i)"}, {}).rule({"Q.cell(i)"}, {}));
  EXPECT_THAT(sites_of(planned), ElementsAre("P+Q#1&P+Q#1|Q#1: P+Q#1&P+Q#1"));
  EXPECT_EQ(planned.only().steps.size(), 1U);
}

TEST(MergedSite, HoldsWhereBothCandidatesRunAnyway) {
  // One rule writes the first half, the other the blocks from the second on. Each has cells for which the other is no
  // candidate.
  const PlannedTransform planned(TestTransform()
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
  EXPECT_FALSE(PlannedTransform(cells_of_a_wide_rule(6, false)).diags.has(DiagKind::ManyAssignments));
  const PlannedTransform planned(cells_of_a_wide_rule(20, false));
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
  const PlannedTransform planned(cells_of_a_wide_rule(20, true));
  ASSERT_FALSE(planned.diags.has_errors()) << planned.messages();
  ASSERT_EQ(planned.only().sites.size(), 1U);
  std::set<RuleId> chosen;
  for (const Alternative& alternative : planned.only().sites[SiteId(0)].alternatives)
    chosen.insert(alternative.rules.begin(), alternative.rules.end());
  EXPECT_EQ(chosen.size(), 31U);
}

TEST(MergedSite, WithoutAConsistentAssignmentIsAnError) {
  const PlannedTransform planned(TestTransform()
                                     .to("P[n]")
                                     .to("Q[n]")
                                     .to("S[n]")
                                     .rule({"P.cell(i)", "Q.cell(i)"}, {})
                                     .rule({"Q.cell(i)", "S.cell(i)"}, {}));
  EXPECT_EQ(planned.messages(),
            "no choice of rules fits `P`, `Q`, `S`: a rule with several outputs is chosen for all of them or for none\n"
            "note: rule `P+Q#1` writes several of them\nnote: rule `Q+S#1` writes several of them\n");
}

}  // namespace
}  // namespace pb
