// SPDX-License-Identifier: MIT
// Tests how the configuration of an older state of a program is migrated, and what is reported of values that are lost.
#include "autotuner/migrate/migrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "autotuner/migrate/former_configuration.h"
#include "autotuner/space/search_space.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/configuration_text.h"

namespace pbtune {
namespace {

using pbrt::AlternativeInfo;
using pbrt::Level;
using pbrt::TunableInfo;
using pbrt::TunableRole;
using pbrt::TunableType;
using pbrt::Version;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TunableInfo value(const std::string& name, double min, double max, double initial) {
  return {name, TunableType::Int, min, max, {initial}, TunableRole::User, false, 1, {}};
}

pbrt::SiteInfo site(const std::string& name, const std::vector<AlternativeInfo>& alternatives) {
  return {name, alternatives};
}

/// Migrates to a program with one transform, `Sort`. Its rules are Insertion, Merge and Radix; only Merge has a kernel.
class MigrateTest : public ::testing::Test {
 protected:
  MigrateTest() {
    info.program = "sort";
    info.main = "Sort";
    info.global = pbrt::standard_globals();
    pbrt::TransformInfo sort;
    sort.name = sort.template_name = "Sort";
    sort.sites = {site("Insertion|Merge|Radix", {{"Insertion", {Version::Cpu}, 3, ""},
                                                 {"Merge", {Version::Cpu, Version::OpenCl}, 6, ""},
                                                 {"Radix", {Version::Cpu}, 9, ""}})};
    sort.tunables = {value("block", 1, 4096, 32), value("Merge.cpu.split_size", 1, 1 << 30, 64)};
    info.transforms = {sort};
  }

  /// Migrates the configuration `text` at size 1024. `renames` holds the values of --rename.
  Migration migrated(const std::string& text, const std::vector<std::string>& renames = {}, bool may_guess = true) {
    const pbrt::InfoIndex index(info);
    const WrittenConfiguration before = read_written(text, "old.cfg");
    const Names names = match_names(before, info, renames, may_guess);
    guesses = names.guesses;
    Migration out = migrate(before, names, index, 1024);
    EXPECT_EQ(pbrt::find_fault(index, out.configuration), "");
    return out;
  }
  Migration of_site(const std::string& name, const std::string& levels) {
    return migrated(R"({"transforms": {"Sort": {"sites": {")" + name + "\": " + levels + "}}}}");
  }
  Migration of_value(const std::string& name, const std::string& number) {
    return migrated(R"({"transforms": {"Sort": {"tunables": {")" + name + "\": " + number + "}}}}");
  }
  /// Migrates a configuration whose site has two schedules and levels that test size variables.
  Migration of_shapes(const std::string& size) {
    info.transforms[0].sizes = {"n", "k"};
    info.transforms[0].tunables[1].site = "Insertion|Merge|Radix";
    return migrated(R"({"transforms": {"Sort": {"sites": {"Insertion|Merge|Radix": [{"rule": "Insertion"},
        {"from": 9, "by": ")" +
                    size + R"(", "rule": "Merge", "schedule": 2}, {"from": 60, "rule": "Radix"}]},
        "schedules": {"Insertion|Merge|Radix": [{"Merge.cpu.split_size": 5}, {"Merge.cpu.split_size": 6}]}}}})");
  }
  /// Returns the error that a migration with these values of --rename ends in.
  [[nodiscard]] std::string fault(const std::vector<std::string>& renames) {
    try {
      (void)migrated(
          R"({"transforms": {"Sort": {"tunables": {"block": 1}, "sites": {"Insertion|Merge": [{"rule": "Merge"}]}}}})",
          renames);
    } catch (const pbrt::UserError& error) {
      return error.what();
    }
    return "no error";
  }

  pbrt::TrainingInfo info;
  std::vector<std::string> guesses;
};

constexpr int kInsertion = 0, kMerge = 1, kMergeOnDevice = 2, kRadix = 3, kBlock = 2, kSplit = 3;

TEST_F(MigrateTest, EverythingOfTheSameProgramIsKept) {
  const pbrt::InfoIndex index(info);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Configuration before = pbrt::random_configuration(index, seed, {});
    const Migration found = migrated(pbrt::to_json(index, before, -1));
    Configuration simple = before;
    for (Selector& selector : simple.sites) simplify(selector);
    EXPECT_EQ(found.configuration, simple) << seed;
    EXPECT_THAT(found.changed, IsEmpty());
    EXPECT_THAT(found.dropped, IsEmpty());
    EXPECT_THAT(found.added, IsEmpty());
    EXPECT_EQ(found.num_sites, 1);
    EXPECT_EQ(found.num_values, 4);
  }
}

TEST_F(MigrateTest, ASiteThatGotARuleKeepsItsChoices) {
  const Migration found = of_site(
      "Insertion|Merge", R"([{"rule": "Insertion", "on": "cpu"}, {"from": 80, "rule": "Merge", "on": "opencl"}])");
  EXPECT_THAT(found.configuration.sites[0].levels, ElementsAre(Level{0, kInsertion}, Level{80, kMergeOnDevice}));
  EXPECT_THAT(found.changed, ElementsAre("Sort.Insertion|Merge|Radix takes over what was Sort.Insertion|Merge"));
  EXPECT_THAT(found.dropped, IsEmpty());
  EXPECT_THAT(guesses, IsEmpty());
}

TEST_F(MigrateTest, ARuleThatIsGoneGivesItsSizesToItsNeighbour) {
  const Migration found = of_site(
      "Insertion|Merge|Quick", R"([{"rule": "Quick"}, {"from": 50, "rule": "Merge"}, {"from": 900, "rule": "Quick"}])");
  EXPECT_THAT(guesses, ElementsAre("Sort.Quick -> Sort.Radix"));
  EXPECT_THAT(found.configuration.sites[0].levels,
              ElementsAre(Level{0, kRadix}, Level{50, kMerge}, Level{900, kRadix}));

  const Migration unguessed = migrated(R"({"transforms": {"Sort": {"sites": {"Insertion|Merge|Quick": [
      {"rule": "Quick"}, {"from": 50, "rule": "Merge"}, {"from": 900, "rule": "Quick"}]}}}})",
                                       {}, false);
  EXPECT_THAT(guesses, IsEmpty());
  EXPECT_THAT(unguessed.configuration.sites[0].levels, ElementsAre(Level{0, kInsertion}, Level{50, kMerge}));
  EXPECT_THAT(
      unguessed.changed,
      ElementsAre(
          "Sort.Insertion|Merge|Radix takes over what was Sort.Insertion|Merge|Quick",
          "Sort.Insertion|Merge|Radix: Quick is gone, the default is used there",
          "Sort.Insertion|Merge|Radix: Quick from size 900 is gone, what was chosen for smaller sizes is used there"));
}

TEST_F(MigrateTest, AVersionThatIsGoneBecomesTheNearest) {
  const Migration found =
      of_site("Insertion|Merge|Radix",
              R"([{"rule": "Merge", "on": "opencl_local"}, {"from": 9, "rule": "Radix", "on": "opencl"}])");
  EXPECT_THAT(found.configuration.sites[0].levels, ElementsAre(Level{0, kMergeOnDevice}, Level{9, kRadix}));
  EXPECT_THAT(found.changed,
              ElementsAre("Sort.Insertion|Merge|Radix: Merge does not run on opencl_local any more, but on opencl",
                          "Sort.Insertion|Merge|Radix: Radix from size 9 does not run on opencl any more, but on cpu"));
}

TEST_F(MigrateTest, WhatTheUserSaysIsRenamed) {
  const Migration found = migrated(R"({"transforms": {"Order": {"sites": {"Insertion|Merge2": [{"rule": "Merge2"}]},
      "tunables": {"tile": 77, "Merge2.cpu.split_size": 128}}}})",
                                   {"Order=Sort", "Order.Merge2=Sort.Merge", "Order.tile=block"}, false);
  EXPECT_THAT(found.configuration.sites[0].levels, ElementsAre(Level{0, kMerge}));
  EXPECT_THAT(found.configuration.tunables[kBlock], ElementsAre(77));
  EXPECT_THAT(found.configuration.tunables[kSplit], ElementsAre(128));
  EXPECT_THAT(found.dropped, IsEmpty());
  EXPECT_THAT(guesses, IsEmpty());
}

TEST_F(MigrateTest, WhatSeemsToBeRenamedIsGuessedAndSaid) {
  const Migration found = migrated(
      R"({"transforms": {"Order": {"sites": {"Insertion|Merge|Radix": [{"rule": "Radix"}]}, "tunables": {"tile": 77}}}})");
  EXPECT_THAT(found.configuration.sites[0].levels, ElementsAre(Level{0, kRadix}));
  EXPECT_THAT(found.configuration.tunables[kBlock], ElementsAre(77));
  EXPECT_THAT(guesses, UnorderedElementsAre("Order -> Sort", "Order.tile -> Sort.block"));
}

TEST_F(MigrateTest, EqualNamesLeaveTheOtherTransformsToGuesses) {
  pbrt::TransformInfo merge;
  merge.name = merge.template_name = "Merge";
  merge.tunables = {value("ways", 2, 64, 2)};
  info.transforms.push_back(merge);
  const Migration found =
      migrated(R"({"transforms": {"Sort": {"tunables": {"block": 5}}, "Join": {"tunables": {"ways": 4}}}})");
  EXPECT_THAT(guesses, ElementsAre("Join -> Merge"));
  EXPECT_THAT(found.dropped, IsEmpty());
}

TEST_F(MigrateTest, WhatTheCompilerAddsIsNoNewNameOfAValue) {
  info.transforms[0].tunables.push_back(
      {"split_size", TunableType::Int, 1, 1 << 30, {256}, TunableRole::Split, false, 1, {}});
  (void)of_value("tile", "7");
  EXPECT_THAT(guesses, ElementsAre("Sort.tile -> Sort.block"));
}

TEST_F(MigrateTest, NothingIsGuessedWhereTwoAreMeant) {
  info.transforms[0].tunables.push_back(value("width", 1, 64, 8));
  const Migration found = of_value("tile", "7");
  EXPECT_THAT(guesses, IsEmpty());
  EXPECT_THAT(found.dropped, ElementsAre("Sort.tile = 7: the program has no such value"));
  EXPECT_THAT(found.added, ::testing::Contains("Sort.width = 8"));
}

TEST_F(MigrateTest, WeightsOfSomeDevicesStay) {
  info.global.push_back(pbrt::device_weights_global());
  const Migration found = migrated(R"({"global": {"device_weights": [8, 2]}})");
  EXPECT_THAT(found.dropped, IsEmpty());
  const int id = pbrt::InfoIndex(info).find_tunable("", pbrt::kDeviceWeights);
  EXPECT_THAT(found.configuration.tunables[static_cast<std::size_t>(id)], ElementsAre(8, 2, 8, 8, 8, 8, 8, 8));
}

TEST_F(MigrateTest, OldNumbersThatDoNotFitTakeTheDefault) {
  const Migration found = of_value("block", "9000");
  EXPECT_THAT(found.configuration.tunables[kBlock], ElementsAre(32));
  EXPECT_THAT(found.dropped, ElementsAre("Sort.block = 9000: out of range (1 to 4096), the default is used: 32"));
  EXPECT_EQ(found.num_values, 0);
  EXPECT_THAT(of_value("block", "[1, 2]").dropped,
              ElementsAre("Sort.block = [1,2]: it has another number of elements now"));
  EXPECT_THAT(of_value("block", "\"x\"").dropped, ElementsAre("Sort.block = \"x\": this is no choice and no value"));
}

TEST_F(MigrateTest, AValueForAllSizesBecomesOneForEachAndBack) {
  info.transforms[0].tunables[0].is_size_specific = true;
  const Migration each = of_value("block", "9");
  EXPECT_THAT(each.configuration.tunables[kBlock], ::testing::AllOf(::testing::SizeIs(32), ::testing::Each(9)));
  info.transforms[0].tunables[0].is_size_specific = false;
  std::string list;
  for (int bucket = 0; bucket < 32; ++bucket) list += (bucket > 0 ? "," : "") + std::to_string(bucket + 1);
  EXPECT_THAT(of_value("block", "[" + list + "]").configuration.tunables[kBlock], ElementsAre(11)) << "for size 1024";
}

TEST_F(MigrateTest, SitesThatWereJoinedAndSplitKeepTheirChoices) {
  info.transforms[0].sites = {
      site("A|B&C|D", {{"A&C", {Version::Cpu}, 1, "", {{"A|B", "A"}, {"C|D", "C"}}},
                       {"B&D", {Version::Cpu}, 1, "", {{"A|B", "B"}, {"C|D", "D"}}}}),
      site("E|F", {{"E", {Version::Cpu}, 1, ""}, {"F", {Version::Cpu}, 1, ""}}),
      site("E|F|G", {{"E", {Version::Cpu}, 1, ""}, {"F", {Version::Cpu}, 1, ""}, {"G", {Version::Cpu}, 1, ""}})};
  const Migration found = migrated(R"({"transforms": {"Sort": {"sites": {
      "A|B": [{"rule": "A"}, {"from": 10, "rule": "B"}], "C|D": [{"rule": "C"}, {"from": 10, "rule": "D"}, {"from": 20, "rule": "C"}],
      "E|F": [{"rule": "F"}]}}}})");
  EXPECT_THAT(found.configuration.sites[0].levels, ElementsAre(Level{0, 0}, Level{10, 1}));
  EXPECT_THAT(found.configuration.sites[1].levels, ElementsAre(Level{0, 1}));
  EXPECT_THAT(found.configuration.sites[2].levels, ElementsAre(Level{0, 1}));
  EXPECT_THAT(found.changed,
              UnorderedElementsAre(
                  "Sort.A|B&C|D: B and C from size 20 is gone, what was chosen for smaller sizes is used there",
                  "Sort.E|F|G takes over what was Sort.E|F"));
}

TEST_F(MigrateTest, WhatTheProgramLacksIsSaid) {
  const Migration found =
      migrated(R"({"global": {"threads": 2, "speed": 3}, "transforms": {"Blur": {"sites": {"X|Y": [{"rule": "X"}]}},
      "Sort": {"sites": {"P|Q": [{"rule": "P"}]}}}})");
  EXPECT_THAT(found.dropped,
              ElementsAre("Blur: the program has no such transform", "Sort.P|Q: the program has no such choice to make",
                          "speed = 3: the program has no such value"));
  EXPECT_THAT(found.added,
              UnorderedElementsAre("sequential_cutoff = 64", "Sort.block = 32", "Sort.Merge.cpu.split_size = 64",
                                   "Sort.Insertion|Merge|Radix: Insertion on cpu"));
  EXPECT_EQ(found.num_sites, 0);
  EXPECT_EQ(found.num_values, 1);
}

TEST_F(MigrateTest, ARenameOfWhatIsNotThereIsRefused) {
  EXPECT_EQ(fault({"Sort"}), "--rename Sort: expected OLD=NEW or TRANSFORM.OLD=NEW");
  EXPECT_EQ(fault({"Sord=Sort"}), "--rename Sord=Sort: the configuration has no `Sord`; did you mean `Sort`?");
  EXPECT_EQ(fault({"Sort=Sord"}), "--rename Sort=Sord: the program has no `Sord`; did you mean `Sort`?");
  EXPECT_EQ(fault({"Sort.blok=block"}),
            "--rename Sort.blok=block: `Sort` of the configuration has no `blok`; did you mean `block`?");
  EXPECT_EQ(fault({"Sort=Sort", "Sort.Merge=Radis"}),
            "--rename Sort.Merge=Radis: the program's transform has no `Radis`; did you mean `Radix`?");
  const std::vector<pbrt::TransformInfo> transforms = std::exchange(info.transforms, {});
  EXPECT_EQ(
      fault({"Sort.block=tile"}),
      "--rename Sort.block=tile: the program has no transform `Sort`; --rename Sort=NEW says what it is called now");
  info.transforms = transforms;
  EXPECT_EQ(fault({"Sort.block=blok"}),
            "--rename Sort.block=blok: the program's transform has no `blok`; did you mean `block`?");
}

std::string rules_of(const WrittenSite& site) {
  std::string out;
  for (const WrittenLevel& level : site.levels)
    out += std::to_string(level.from) + ":" + level.rules.at(site.name) + " ";
  return out;
}

TEST_F(MigrateTest, SelectorsOfPetaBricksNumberRulesInTheirOrder) {
  const FormerConfiguration found = read_former(
      "Sort_0_lvl1_rule = 2 # int\nSort_0_lvl2_cutoff = 50\nSort_0_lvl2_rule = 1\nSort_0_lvl3_cutoff = 40\n"
      "Sort_0_lvl3_rule = 0\nSort_0_lvl4_cutoff = 800\nSort_0_lvl4_rule = 7\nSort_0_lvl5_cutoff = 2147483647\n",
      pbrt::InfoIndex(info));
  ASSERT_EQ(found.written.transforms.size(), 1U);
  EXPECT_EQ(rules_of(found.written.transforms[0].sites.at(0)), "0:Radix 50:Insertion ");
  EXPECT_THAT(found.dropped, ElementsAre("Sort_0: 7 from size 800: there are not so many choices"));
  EXPECT_THAT(found.changed, ElementsAre("Sort_0: numbers of rules are read in the order of the source"));
}

TEST_F(MigrateTest, NumbersOfPetaBricksCountCombinationsThatHaveAnOrder) {
  info.transforms[0].sites.push_back(site("A|B", {{"A", {Version::Cpu}, 3, ""}, {"B", {Version::Cpu}, 6, ""}}));
  info.transforms[0].forbidden = {{{"Insertion|Merge|Radix", "Merge"}, {"A|B", "A"}}};
  const FormerConfiguration found =
      read_former("Sort_0_lvl1_rule = 1\nSort_0_lvl2_cutoff = 9\nSort_0_lvl2_rule = 3\n", pbrt::InfoIndex(info));
  ASSERT_EQ(found.written.transforms.size(), 1U);
  EXPECT_EQ(rules_of(found.written.transforms[0].sites.at(0)), "0:Radix 9:Merge ");
  EXPECT_EQ(rules_of(found.written.transforms[0].sites.at(1)), "0:A 9:B ");
}

TEST_F(MigrateTest, ValuesOfPetaBricksAreCarriedOver) {
  TunableInfo table = value("w", 0, 100, 5);
  table.count = 2;
  table.is_size_specific = true;
  info.transforms[0].tunables.push_back(table);
  const FormerConfiguration found = read_former(
      "sequentialcutoff = 7\nworker_threads = 8\nSort_block = 9\nSort_i1_w__3 = 4\nSort_i2_w = 4\nOther_x = 1\n",
      pbrt::InfoIndex(info));
  ASSERT_EQ(found.written.globals.size(), 1U);
  EXPECT_EQ(found.written.globals[0].numbers, std::vector<double>{7});
  ASSERT_EQ(found.written.transforms.at(0).values.size(), 2U);
  EXPECT_EQ(found.written.transforms[0].values[0].numbers, std::vector<double>{9});
  const WrittenValue& w = found.written.transforms[0].values[1];
  std::vector<double> expected(64, 5);
  expected[3 * 2 + 1] = 4;
  EXPECT_EQ(w.numbers, expected);
  EXPECT_EQ(w.num_lists, 32);
  EXPECT_THAT(found.dropped, ElementsAre(HasSubstr("worker_threads: "), "Sort_i2_w: the value has not so many parts",
                                         "Other_x: the program has no such value"));
}

TEST_F(MigrateTest, SchedulesAndLevelsBySizeVariablesAreKept) {
  const Migration same = of_shapes("k");
  EXPECT_EQ(same.configuration.sites[0].levels, (std::vector<Level>{{0, 0}, {9, 1, 1, 2}, {60, 3}}));
  EXPECT_EQ(same.configuration.tunables[3], (std::vector<double>{5, 6}));
  EXPECT_THAT(same.changed, IsEmpty());
  EXPECT_THAT(same.dropped, IsEmpty());
}

TEST_F(MigrateTest, SizeVariablesThatAreGoneTakeTheirLevelsAlong) {
  const Migration gone = of_shapes("depth");
  EXPECT_EQ(gone.configuration.sites[0].levels, (std::vector<Level>{{0, 0}, {60, 3}}));
  EXPECT_EQ(gone.configuration.tunables[3], std::vector<double>{5});
  EXPECT_THAT(gone.changed,
              ElementsAre(HasSubstr("where depth is at least 9 is dropped, since Sort has no such size")));
}

TEST_F(MigrateTest, Format1BecomesSchedulesWithTheSameMeaning) {
  info.transforms[0].tunables[1].site = "Insertion|Merge|Radix";
  const Migration found = of_value("Merge.cpu.split_size", "7");
  EXPECT_EQ(found.configuration.tunables[3], std::vector<double>{7});
  EXPECT_THAT(pbrt::to_json(pbrt::InfoIndex(info), found.configuration, -1),
              HasSubstr(R"("schedules":{"Insertion|Merge|Radix":[{"Merge.cpu.split_size":7}]})"));
}

}  // namespace
}  // namespace pbtune
