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
  info.transforms[1].tunables = {tunable("Only.cpu.row_block", pbrt::TunableRole::RowBlock, "Only.cpu"),
                                 tunable("Only.cpu.bands", pbrt::TunableRole::Bands, "Only.cpu")};
  const pbrt::InfoIndex index(info);
  Configuration configuration = pbrt::default_configuration(index);
  configuration.sites[0].levels = {{0, 1}};
  configuration.tunables[pbrt::kNumStandardGlobals] = {0};
  configuration.tunables[pbrt::kNumStandardGlobals + 2] = {64};  // of a rule that is not chosen
  configuration.tunables[pbrt::kNumStandardGlobals + 3] = {2};
  configuration.tunables[pbrt::kNumStandardGlobals + 4] = {0};
  EXPECT_THAT(explain(index, configuration, 1000, "PoCL", {}),
              ElementsAre("Sort: Merge", "Sort.Merge.cpu.packs: one instance after the other",
                          "Halves.Only.cpu.row_block: always", "Halves.Only.cpu.bands: never"));
}

/// The order of the folds of `Merge`, of which schedules of its site have their own.
pbrt::TunableInfo order_of_merge() {
  pbrt::TunableInfo out{
      "Merge.cpu.fold_order", pbrt::TunableType::Int, 0, 1, {0}, pbrt::TunableRole::FoldOrder, false, 1, {"Merge.cpu"}};
  out.site = "Insertion|Merge";
  return out;
}

TEST_F(WordsTest, LevelsBySizeVariablesAndTheirSchedules) {
  info.transforms[0].sizes = {"n", "k"};
  info.transforms[0].tunables = {order_of_merge()};
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
                  "Sort.Merge.cpu.fold_order: as in the source -> as in the source, any"));
}

TEST_F(WordsTest, TheSameValueInEachScheduleIsNoDifference) {
  info.transforms[0].tunables = {order_of_merge()};
  const pbrt::InfoIndex index(info);
  Configuration configuration = pbrt::default_configuration(index);
  pbrt::set_num_schedules(index, configuration, 0, 2);
  EXPECT_THAT(differences(index, pbrt::default_configuration(index), configuration), ElementsAre());
}

/// `Sum`, on the CPU or on a device, whose one rule folds, and `Parts`, whose rule is no choice.
class FoldWordsTest : public ::testing::Test {
 protected:
  FoldWordsTest() {
    using pbrt::TunableRole;
    info.program = "sum";
    info.main = "Sum";
    info.global = pbrt::standard_globals();
    pbrt::TransformInfo sum;
    sum.name = sum.template_name = "Sum";
    sum.sites = {{"S", {{"S", {Version::Cpu, Version::OpenCl}, 3, ""}}}};
    sum.tunables = {value("S.fold_order", TunableRole::FoldOrder, {"S.cpu"}),
                    value("S.fold_chunk", TunableRole::FoldChunk, {"S.cpu"}),
                    value("S.opencl.work_group", TunableRole::WorkGroup, {"S.opencl"}),
                    value("S.opencl.items", TunableRole::Items, {"S.opencl"}),
                    value("S.opencl.fold_items", TunableRole::FoldItems, {"S.opencl"}),
                    value("S.opencl.block_parts", TunableRole::BlockParts, {"S.opencl"})};
    sum.tunables[1].needs = "S.fold_order";
    pbrt::TransformInfo parts;
    parts.name = parts.template_name = "Parts";
    parts.tunables = {value("P.fold_order", TunableRole::FoldOrder, {"P.cpu"}),
                      value("P.fold_chunk", TunableRole::FoldChunk, {"P.cpu"})};
    parts.tunables[1].needs = "P.fold_order";
    info.transforms = {sum, parts};
  }
  static pbrt::TunableInfo value(const char* name, pbrt::TunableRole role, std::vector<std::string> used_by) {
    pbrt::TunableInfo out;
    out.name = name;
    out.role = role;
    out.max = 1 << 20;
    out.initial = {0};
    out.used_by = std::move(used_by);
    return out;
  }

  pbrt::TrainingInfo info;
};

TEST_F(FoldWordsTest, ChoicesAndValuesOfFoldsAreSaidInWords) {
  const pbrt::InfoIndex index(info);
  const auto set = [&](Configuration& configuration, const char* transform, const char* name, double to) {
    configuration.tunables.at(static_cast<std::size_t>(index.find_tunable(transform, name))) = {to};
  };
  const Configuration standard = pbrt::default_configuration(index);
  Configuration divided = standard, on_device = standard;
  set(divided, "Sum", "S.fold_order", 1);
  set(divided, "Sum", "S.fold_chunk", 4096);
  set(divided, "Parts", "P.fold_chunk", 512);  // without a say, since the order is that of the source
  EXPECT_THAT(explain(index, divided, 1000, "PoCL", {}),
              ElementsAre("Sum: on the CPU, folds in any order, folds in chunks of 4096 rounds"));
  set(divided, "Parts", "P.fold_order", 1);
  EXPECT_THAT(explain(index, divided, 1000, "PoCL", {"Parts"}),
              ElementsAre("Parts.P.fold_order: any", "Parts.P.fold_chunk: folds in chunks of 512 rounds"));
  on_device.sites[0].levels = {{0, 1}};
  set(on_device, "Sum", "S.opencl.work_group", 64);
  set(on_device, "Sum", "S.opencl.items", 2);
  set(on_device, "Sum", "S.opencl.fold_items", 1);
  EXPECT_THAT(explain(index, on_device, 1000, "PoCL", {}),
              ElementsAre("Sum: on PoCL, work-groups of 64, 2 instances per work-item, 1 work-item per instance"));
  Configuration in_parts = standard;
  in_parts.sites[0].levels = {{0, 1}};
  set(in_parts, "Sum", "S.opencl.block_parts", 4);
  EXPECT_THAT(explain(index, in_parts, 1000, "PoCL", {}),
              ElementsAre("Sum: on PoCL, rounds of a tile divided among 4 work-groups"));
  EXPECT_THAT(
      differences(index, divided, on_device),
      ElementsAre("Sum.S: S on cpu -> S on opencl", "Sum.S.fold_order: any -> as in the source",
                  "Sum.S.fold_chunk: folds in chunks of 4096 rounds -> folds in one task",
                  "Sum.S.opencl.work_group: as the program chooses -> 64",
                  "Sum.S.opencl.items: as the program chooses -> 2",
                  "Sum.S.opencl.fold_items: as the program chooses -> 1", "Parts.P.fold_order: any -> as in the source",
                  "Parts.P.fold_chunk: folds in chunks of 512 rounds -> folds in one task"));
}

TEST_F(FoldWordsTest, SharesAreSaidOfWhatIsDivided) {
  pbrt::TunableInfo share = value("device_eighths", pbrt::TunableRole::DeviceShare, {"S.opencl"});
  share.min = 1;
  share.max = 8;
  share.initial = {8};
  const auto said = [&](double eighths) {
    info.transforms[0].tunables = {share};
    const pbrt::InfoIndex index(info);
    Configuration configuration = pbrt::default_configuration(index);
    configuration.sites[0].levels = {{0, 1}};
    configuration.tunables.at(static_cast<std::size_t>(index.find_tunable("Sum", "device_eighths"))) = {eighths};
    return explain(index, configuration, 1000, "PoCL", {}).front();
  };
  EXPECT_EQ(said(8), "Sum: on PoCL");
  EXPECT_EQ(said(4), "Sum: on PoCL, 4/8 of it there and the rest on the CPU");
  share.undivided = {"S.opencl"};
  EXPECT_EQ(said(8), "Sum: on PoCL");
  EXPECT_EQ(said(4), "Sum: on PoCL, which cannot be divided: with 4/8 all of it there");
  EXPECT_EQ(said(3), "Sum: on PoCL, which cannot be divided: with 3/8 all of it on the CPU");
}

TEST(Words, LossesComeLargestFirst) {
  EXPECT_EQ(loss_lines({{"the default of threads", 1.2}, {"the default's choice of Sort", 7}}),
            (std::vector<std::string>{"the default's choice of Sort would be more than 4x slower",
                                      "the default of threads would be 1.20x slower"}));
}

}  // namespace
}  // namespace pbtune
