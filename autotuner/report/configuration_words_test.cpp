// SPDX-License-Identifier: MIT
// Configurations in words: what is said of a size, and of the parts that a recursion comes to.
#include "autotuner/report/configuration_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autotuner/space/search_space.h"

namespace pbtune {
namespace {

using pbrt::Version;
using ::testing::ElementsAre;

/// `Sort`, by Insertion or by Merge, and what it calls: `Halves`, which calls `Sort` or nothing.
class WordsTest : public ::testing::Test {
 protected:
  WordsTest() {
    info.program = "sort";
    info.main = "Sort";
    info.global = pbrt::standard_globals();
    pbrt::TransformInfo sort;
    sort.name = sort.template_name = "Sort";
    sort.sites = {{"Insertion|Merge", {{"Insertion", {Version::Cpu}, 3, ""}, {"Merge", {Version::Cpu}, 6, ""}}}};
    sort.calls = {"Halves"};
    pbrt::TransformInfo halves;
    halves.name = halves.template_name = "Halves";
    info.transforms = {sort, halves};
  }

  std::vector<std::string> said(std::int64_t n) const {
    const pbrt::InfoIndex index(info);
    Configuration configuration = pbrt::default_configuration(index);
    configuration.sites[0].levels = {{0, 1}, {4, 0}, {60, 1}};
    return explain(index, configuration, n, "PoCL", {});
  }

  pbrt::TrainingInfo info;
};

TEST_F(WordsTest, OneSizeOfAProgramThatDoesNotRecur) {
  EXPECT_THAT(said(1000), ElementsAre("Sort: Merge"));
  EXPECT_THAT(said(59), ElementsAre("Sort: Insertion"));
}

TEST_F(WordsTest, ARecursionComesToSmallerParts) {
  info.transforms[1].calls = {"Sort"};
  EXPECT_THAT(said(1000), ElementsAre("Sort: Merge; below size 60: Insertion; below size 4: Merge"));
  EXPECT_THAT(said(60), ElementsAre("Sort: Merge; below size 60: Insertion; below size 4: Merge"));
  EXPECT_THAT(said(59), ElementsAre("Sort: Insertion; below size 4: Merge"));
  EXPECT_THAT(said(0), ElementsAre("Sort: Merge"));
}

TEST_F(WordsTest, AllSizes) {
  EXPECT_THAT(said(-1), ElementsAre("Sort: Merge; from size 4: Insertion; from size 60: Merge"));
}

TEST_F(WordsTest, FormsOfLoopsThatAreNotTheDefault) {
  const auto tunable = [](const char* name, pbrt::TunableRole role, const char* user) {
    return pbrt::TunableInfo{name, pbrt::TunableType::Int, 0, 1024, {1}, role, false, 1, {user}};
  };
  info.transforms[0].tunables = {tunable("Merge.cpu.packs", pbrt::TunableRole::Packs, "Merge.cpu"),
                                 tunable("Merge.cpu.strip", pbrt::TunableRole::Strip, "Merge.cpu"),
                                 tunable("Insertion.cpu.read_ahead", pbrt::TunableRole::ReadAhead, "Insertion.cpu")};
  info.transforms[1].tunables = {tunable("Only.cpu.row_block", pbrt::TunableRole::RowBlock, "Only.cpu")};
  const pbrt::InfoIndex index(info);
  Configuration configuration = pbrt::default_configuration(index);
  configuration.sites[0].levels = {{0, 1}};
  configuration.tunables[pbrt::kNumStandardGlobals] = {0};
  configuration.tunables[pbrt::kNumStandardGlobals + 2] = {64};  // of a rule that is not chosen
  configuration.tunables[pbrt::kNumStandardGlobals + 3] = {2};
  EXPECT_THAT(explain(index, configuration, 1000, "PoCL", {}),
              ElementsAre("Sort: Merge", "Sort.Merge.cpu.packs: one instance after the other",
                          "Halves.Only.cpu.row_block: always"));
}

TEST_F(WordsTest, LevelsBySizeVariablesAndTheirSchedules) {
  info.transforms[0].sizes = {"n", "k"};
  pbrt::TunableInfo order{
      "Merge.cpu.fold_order", pbrt::TunableType::Int, 0, 1, {0}, pbrt::TunableRole::FoldOrder, false, 1, {"Merge.cpu"}};
  order.site = "Insertion|Merge";
  info.transforms[0].tunables = {order};
  const pbrt::InfoIndex index(info);
  Configuration configuration = pbrt::default_configuration(index);
  pbrt::set_num_schedules(index, configuration, 0, 2);
  configuration.tunables[2] = {0, 1};
  configuration.sites[0].levels = {{0, 0}, {60, 1}, {9, 1, 1, 2}};
  EXPECT_THAT(explain(index, configuration, 59, "PoCL", {}),
              ElementsAre("Sort: Insertion; where k is at least 9: Merge, folds in any order"));
  EXPECT_THAT(explain(index, configuration, -1, "PoCL", {}),
              ElementsAre("Sort: Insertion; from size 60: Merge; where k is at least 9: Merge, folds in any order"));
  EXPECT_THAT(
      differences(index, pbrt::default_configuration(index), configuration),
      ElementsAre("Sort.Insertion|Merge: Insertion on cpu -> Insertion on cpu, from 60 Merge on cpu, from k = 9 "
                  "Merge on cpu with schedule 2",
                  "Sort.Merge.cpu.fold_order: 0 -> 0, 1"));
}

TEST(Words, LossesComeLargestFirst) {
  EXPECT_EQ(loss_lines({{"the default of threads", 1.2}, {"the default's choice of Sort", 7}}),
            (std::vector<std::string>{"the default's choice of Sort would be more than 4x slower",
                                      "the default of threads would be 1.20x slower"}));
}

}  // namespace
}  // namespace pbtune
