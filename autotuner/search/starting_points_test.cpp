// SPDX-License-Identifier: MIT
#include "autotuner/search/starting_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "autotuner/testing/synthetic.h"

namespace pbtune {
namespace {

class StartingPointsTest : public ::testing::Test {
 protected:
  static SpaceOptions options() {
    SpaceOptions out{true, 2, 0, 1760};
    out.measured = testing::synthetic_program().main;
    return out;
  }
  [[nodiscard]] Candidate member(int main_choice) const {
    Candidate out;
    out.configuration = space.default_configuration();
    out.configuration.sites[testing::kMainSite].levels = {{0, main_choice}};
    out.origin = "member " + std::to_string(main_choice);
    return out;
  }
  static std::vector<std::string> names(const std::vector<StartingPoint>& points) {
    std::vector<std::string> out;
    for (const StartingPoint& point : points) out.push_back(point.candidate.origin);
    return out;
  }

  pbrt::TrainingInfo info = testing::synthetic_program();
  InfoIndex index{info};
  Space space{index, options()};
  std::vector<NamedConfiguration> known{{"the configuration of before", space.default_configuration()}};
  StartingPoints points{space, known};
};

TEST_F(StartingPointsTest, AtFirstComeTheDefaultWhatIsKnownAndUniformChoices) {
  const std::vector<std::string> found = names(points.at({-1, 110}, {}));
  ASSERT_EQ(found.size(), 2 + space.seeds().size());
  EXPECT_EQ(found[0], "the default");
  EXPECT_EQ(found[1], "the configuration of before");
}

TEST_F(StartingPointsTest, ThoseThatDidBetterComeFirst) {
  std::vector<StartingPoint> before = points.at({-1, 110}, {});
  StartingPoint last = before.back();
  for (const StartingPoint& start : before) points.note(start, start.seed == last.seed ? 0.5 : 4);
  EXPECT_EQ(points.factor(last), 0.5);
  EXPECT_EQ(points.factor(before[0]), 1) << "the default makes no choice of its own";
  EXPECT_EQ(points.at({-1, 110}, {})[2].seed, last.seed);
}

TEST_F(StartingPointsTest, MembersWithOtherChoicesComeBeforeUniformOnes) {
  std::vector<Candidate> members{member(1), member(1)};
  members[1].configuration.tunables[0] = {1};
  members[1].origin = "like the first";
  const std::vector<std::string> found = names(points.at({110, 440}, members));
  const auto place = [&](const std::string& name) {
    return std::find(found.begin(), found.end(), name) - found.begin();
  };
  EXPECT_EQ(place("member 1"), 1);
  EXPECT_GT(place("like the first"), 2);
  EXPECT_LT(place("like the first"), std::ssize(found));
}

TEST_F(StartingPointsTest, ChoicesOfLargerSizesBeginBetweenTheTwo) {
  EXPECT_EQ(size_between(100, 400), 200);
  EXPECT_EQ(size_between(-1, 400), 20);
  for (const StartingPoint& start : points.at({100, 400, true, false}, {member(1)})) {
    if (start.seed < 0) continue;
    EXPECT_EQ(start.candidate.configuration.sites[testing::kMainSite].select(199), 1);
  }
}

TEST(Seeds, OneTakesTheDeviceWhereverSomeRuleCan) {
  using pbrt::Version;
  pbrt::TrainingInfo info;
  info.main = "Solve";
  info.global = pbrt::standard_globals();
  pbrt::TransformInfo solve, step;
  solve.name = solve.template_name = "Solve";
  solve.sites = {{"Plain|Bands", {{"Plain", {Version::Cpu}, 1, ""}, {"Bands", {Version::Cpu}, 2, ""}}}};
  step.name = step.template_name = "Step";
  step.sites = {{"Rows|Cells", {{"Rows", {Version::Cpu}, 3, ""}, {"Cells", {Version::Cpu, Version::OpenCl}, 4, ""}}}};
  info.transforms = {solve, step};
  const InfoIndex index(info);
  SpaceOptions options;
  options.has_device = true;
  const Space space(index, options);
  const std::vector<NamedConfiguration> seeds = space.seeds();
  EXPECT_TRUE(std::any_of(seeds.begin(), seeds.end(), [&](const NamedConfiguration& seed) {
    return index.site(0).site->choice(seed.configuration.sites[0].select(1)).rule == "Plain" &&
           index.site(1).site->choice(seed.configuration.sites[1].select(1)).on == Version::OpenCl;
  }));
}

}  // namespace
}  // namespace pbtune
