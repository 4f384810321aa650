// SPDX-License-Identifier: MIT
#include "choicegraph/passes/fix_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/passes/build_plan.h"
#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/verify_plan.h"
#include "choicegraph/testing/test_transform.h"
#include "frontend/infer_regions/infer_regions.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using testing::TestTransform;

/// The plan of one transform, whole and with choices of its sites fixed.
class Fixed {
 public:
  explicit Fixed(const TestTransform& transform) : program_(transform.program()) {
    EXPECT_TRUE(infer_regions(program_, diags_));
    whole_ = build_plan(program_, diags_);
    EXPECT_FALSE(diags_.has_errors());
  }

  const TransformPlan& fix(const FixedTransform& choices) {
    plan_ = fix_choices(whole_, program_, {choices});
    verify(plan_, program_);
    const std::string text = to_string(plan_, program_);
    const ParsedPlan parsed = parse_plan(text, program_);
    EXPECT_TRUE(parsed.plan.has_value()) << parsed.error << "\n" << text;
    if (parsed.plan.has_value()) {
      EXPECT_EQ(to_string(*parsed.plan, program_), text);
    }
    return plan_.transforms.front();
  }
  [[nodiscard]] const TransformPlan& whole() const { return whole_.transforms.front(); }
  /// Names of the rules of the steps, in their order.
  [[nodiscard]] std::vector<std::string> steps() const {
    std::vector<std::string> out;
    for (const Step& step : plan_.transforms.front().steps)
      out.push_back(program_.transforms[program_.main].rules[step.rule].name);
    return out;
  }

 private:
  Program program_;
  Diagnostics diags_;
  Plan whole_, plan_;
};

/// Two matrices, each made from the input or from the other one. There is no order if both are made from the other one.
TestTransform mirrors(const std::string& at) {
  return TestTransform()
      .from("A[n]")
      .to("P[n]")
      .to("Q[n]")
      .rule({"P.cell(i)"}, {"A.cell(i)"})
      .rule({"P.cell(i)"}, {"Q.cell(" + at + ")"})
      .rule({"Q.cell(i)"}, {"A.cell(i)"})
      .rule({"Q.cell(i)"}, {"P.cell(i)"});
}

std::vector<FixedLevel> always(std::size_t alternative, Version version = Version::Cpu) {
  return {FixedLevel{0, alternative, version}};
}

TEST(FixChoices, ChangesNothingWhereNothingIsFixed) {
  Fixed fixed(mirrors("i"));
  const TransformPlan& plan = fixed.fix({});
  EXPECT_EQ(plan.steps.size(), fixed.whole().steps.size());
  EXPECT_EQ(plan.edges, fixed.whole().edges);
  EXPECT_EQ(plan.forbidden, fixed.whole().forbidden);
}

TEST(FixChoices, DropsStepsAndSortsWhatIsLeft) {
  Fixed fixed(mirrors("i"));
  EXPECT_FALSE(is_ordered(fixed.whole()));
  const TransformPlan& plan = fixed.fix({{{SiteId(0), always(1)}, {SiteId(1), always(0)}}, {}});
  EXPECT_THAT(fixed.steps(), ElementsAre("Q#1", "P#2"));
  EXPECT_TRUE(is_ordered(plan));
  EXPECT_THAT(plan.edges, ElementsAre(StepEdge{StepId(0), StepId(1)}));
  EXPECT_TRUE(plan.forbidden.empty());
  EXPECT_EQ(plan.sites[SiteId(0)].name, "P#1|P#2");
  EXPECT_EQ(plan.sites[SiteId(0)].alternatives.size(), 1U);
}

TEST(FixChoices, DropsStepsOfTemporariesThatNothingReads) {
  Fixed fixed(TestTransform()
                  .from("A[n]")
                  .through("S[n]")
                  .through("T[n]")
                  .to("P[n]")
                  .rule({"S.cell(i)"}, {"A.cell(i)"})
                  .rule({"T.cell(i)"}, {"S.cell(i)"})
                  .rule({"P.cell(i)"}, {"T.cell(i)"})
                  .rule({"P.cell(i)"}, {"A.cell(i)"}));
  ASSERT_EQ(fixed.whole().sites.size(), 3U);
  (void)fixed.fix({{{SiteId(2), always(1)}}, {}});
  EXPECT_THAT(fixed.steps(), ElementsAre("P#2"));
  (void)fixed.fix({{{SiteId(2), always(0)}}, {}});
  EXPECT_THAT(fixed.steps(), ElementsAre("S#1", "T#1", "P#1"));
}

TEST(FixChoices, KeepsWhatTheLevelsNameAndTheCpu) {
  Fixed fixed(TestTransform()
                  .from("A[n]")
                  .to("P[n]")
                  .rule({"P.cell(i)"}, {})
                  .rule({"P.cell(i)"}, {"A.cell(i)"})
                  .rule({"P.cell(i)"}, {"A.cell(n-1-i)"}));
  const std::vector<FixedLevel> levels = {
      {0, 2, Version::Cpu}, {10, 1, Version::Cpu}, {50, 1, Version::Cpu}, {90, 2, Version::Cpu}};
  const TransformPlan& plan = fixed.fix({{{SiteId(0), levels}}, {}});
  const Site& site = plan.sites[SiteId(0)];
  ASSERT_EQ(site.alternatives.size(), 2U);
  EXPECT_EQ(site.alternatives[0].name, "P#2");
  EXPECT_THAT(site.alternatives[0].versions, ElementsAre(Version::Cpu));
  EXPECT_THAT(site.fixed, ElementsAre(FixedLevel{0, 1, Version::Cpu}, FixedLevel{10, 0, Version::Cpu},
                                      FixedLevel{90, 1, Version::Cpu}));
}

TEST(FixChoices, KeepsSchedulesAndTheOrderOfLevels) {
  Fixed fixed(TestTransform().from("A[n, m]").to("P[n]").rule({"P.cell(i)"}, {}).rule({"P.cell(i)"}, {"A.cell(i, 0)"}));
  const std::vector<FixedLevel> levels = {{0, 1, Version::Cpu, 0, 0},
                                          {300, 0, Version::Cpu, 0, 0},
                                          {8, 1, Version::Cpu, 1, 2},
                                          {20, 1, Version::Cpu, 1, 2},
                                          {30, 1, Version::Cpu, 0, 2}};
  const TransformPlan& plan = fixed.fix({{{SiteId(0), levels}}, {}});
  EXPECT_THAT(plan.sites[SiteId(0)].fixed, ElementsAre(levels[0], levels[1], levels[2], levels[4]));
}

TEST(FixChoices, RunsANestThatHasToRun) {
  Fixed fixed(mirrors("i-1"));
  ASSERT_EQ(fixed.whole().nests.size(), 1U);
  EXPECT_FALSE(always_runs(fixed.whole(), fixed.whole().nests[0]));
  FixedTransform all;
  for (const SiteId id : fixed.whole().sites.ids())
    all.sites[id] = always(fixed.whole().sites[id].alternatives.size() - 1);
  const TransformPlan& plan = fixed.fix(all);
  ASSERT_FALSE(plan.nests.empty());
  EXPECT_TRUE(always_runs(plan, plan.nests[0]));
  EXPECT_TRUE(is_ordered(plan));
  for (auto& [site, levels] : all.sites) levels = always(0);
  EXPECT_TRUE(fixed.fix(all).nests.empty());
}

TEST(FixChoices, FixesTunablesThatNothingReads) {
  Fixed fixed(TestTransform().from("A[n]").to("P[n]").rule({"P"}, {"A"}).rule({"P.cell(i)"}, {"A.cell(i)"}));
  ASSERT_FALSE(fixed.whole().tunables.empty());
  EXPECT_EQ(fixed.whole().tunables[0].name, "split_size");
  const TransformPlan& whole_rule = fixed.fix({{{SiteId(0), always(0)}}, {}});
  EXPECT_EQ(whole_rule.tunables[0].fixed, whole_rule.tunables[0].initial);
  EXPECT_TRUE(fixed.fix({{{SiteId(0), always(1)}}, {}}).tunables[0].fixed.empty());
  EXPECT_THAT(fixed.fix({{}, {{0, {17}}}}).tunables[0].fixed, ElementsAre(17));
}

}  // namespace
}  // namespace pb
