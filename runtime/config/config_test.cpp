// SPDX-License-Identifier: MIT
// Configurations: round trips, defaults, selectors, size-specific values, forbidden assignments, random ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/config/active_config.h"
#include "runtime/config/configuration.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/info_json.h"
#include "runtime/config/nearest_word.h"
#include "runtime/config/test_program.h"

namespace pbrt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr int kConvSite = 1, kSplit = 2, kGroup = 3, kBlock = 5;

class ConfigTest : public ::testing::Test {
 protected:
  TrainingInfo info = testing::small_program();
  InfoIndex index{info};
  ConfigWarnings warnings;

  Configuration parse(const std::string& text) { return parse_configuration(text, "t.cfg", index, warnings); }
};

TEST_F(ConfigTest, TrainingInformationSurvivesTheRoundTrip) {
  EXPECT_EQ(parse_training_info(to_json(info), "blur.info"), info);
  EXPECT_EQ(to_json(parse_training_info(to_json(info), "blur.info")), to_json(info));
}

TEST_F(ConfigTest, NumbersFollowTheOrderOfAppearance) {
  EXPECT_EQ(index.find_site("Conv", "Out#1"), kConvSite);
  EXPECT_EQ(index.find_tunable("", "threads"), kTunableThreads);
  EXPECT_EQ(index.find_tunable("", "sequential_cutoff"), kTunableSequentialCutoff);
  EXPECT_EQ(index.find_tunable("Conv", "split_size"), kSplit);
  EXPECT_EQ(index.site_name(kConvSite), "Conv.Out#1");
}

TEST_F(ConfigTest, FurtherGlobalsComeAfterWhatGeneratedCodeNumbers) {
  TrainingInfo longer = info;
  longer.global.push_back(openblas_threads_global());
  const InfoIndex with(longer);
  EXPECT_EQ(with.find_tunable("", kOpenBlasThreads), index.num_tunables());
  EXPECT_EQ(with.find_tunable("Conv", "split_size"), kSplit);
  EXPECT_EQ(parse_training_info(to_json(longer), "blur.info"), longer);
  const Configuration three = parse_configuration(R"({"global": {"openblas_threads": 3}})", "t.cfg", with, warnings);
  EXPECT_EQ(ActiveConfig(with, three).openblas_threads(), 3);
  EXPECT_EQ(ActiveConfig(with, default_configuration(with)).openblas_threads(), 1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ActiveConfig drawn(with, random_configuration(with, seed, {4096, false, 2}));
    EXPECT_THAT(drawn.openblas_threads(), AllOf(Ge(1), Le(2)));
  }
  (void)parse_configuration(R"({"global": {"openblas_threads": 3}})", "t.cfg", index, warnings);
  EXPECT_THAT(warnings.unknown_names, ElementsAre("global.openblas_threads"));
}

TEST_F(ConfigTest, FoldsHaveAnotherOrderWhereOneIsOpen) {
  EXPECT_FALSE(ActiveConfig(index, default_configuration(index)).in_other_fold_order(index));
  TrainingInfo longer = info;
  longer.transforms[0].tunables.push_back(
      {"Out.cpu.fold_order", TunableType::Int, 0, 1, {0}, TunableRole::FoldOrder, false, 1, {}});
  const InfoIndex with(longer);
  const int id = with.find_tunable(longer.transforms[0].name, "Out.cpu.fold_order");
  const ActiveConfig in_order(with, default_configuration(with));
  const auto other = in_order.in_other_fold_order(with);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->tunable_int(id), 1);
  EXPECT_EQ(other->tunable_int(kTunableSequentialCutoff), in_order.tunable_int(kTunableSequentialCutoff));
  EXPECT_EQ(other->in_other_fold_order(with)->tunable_int(id), 0);
}

TEST_F(ConfigTest, DevicesHaveTheWeightsThatAConfigurationSays) {
  TrainingInfo longer = info;
  longer.global.push_back(device_weights_global());
  const InfoIndex with(longer);
  using Weights = std::vector<std::int64_t>;
  EXPECT_EQ(ActiveConfig(with, default_configuration(with)).device_weights(), (Weights{8, 8, 8, 8, 8, 8, 8, 8}));
  EXPECT_TRUE(ActiveConfig(index, default_configuration(index)).device_weights().empty()) << "no steps are cut";
  const auto read = [&](const char* text) {
    return ActiveConfig(with, parse_configuration(text, "t.cfg", with, warnings)).device_weights();
  };
  EXPECT_EQ(read(R"({"global": {"device_weights": [8, 2]}})"), (Weights{8, 2, 8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(read(R"({"global": {"device_weights": [0, 1, 2, 3, 4, 5, 6, 7]}})"), (Weights{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
  EXPECT_EQ(read(R"({"global": {"device_weights": [3, 9]}})"), (Weights{3, 8, 8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(read(R"({"global": {"device_weights": 3}})"), (Weights{8, 8, 8, 8, 8, 8, 8, 8}));
  EXPECT_THAT(warnings.lines("t.cfg"),
              ElementsAre(HasSubstr("device_weights = 9 (0 to 8)"), HasSubstr("a list of up to 8 values")));
}

TEST_F(ConfigTest, LargePagesAreAskedForWhereAConfigurationSaysSo) {
  TrainingInfo longer = info;
  longer.global.push_back(large_pages_global());
  const InfoIndex with(longer);
  EXPECT_FALSE(ActiveConfig(with, default_configuration(with)).large_pages());
  EXPECT_FALSE(ActiveConfig(index, default_configuration(index)).large_pages()) << "a program without it";
  const auto read = [&](const char* text) {
    return ActiveConfig(with, parse_configuration(text, "t.cfg", with, warnings));
  };
  EXPECT_TRUE(read(R"({"global": {"large_pages": 1}})").large_pages());
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
  EXPECT_FALSE(read(R"({"global": {"large_pages": 2}})").large_pages());
  EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("large_pages = 2 (0 to 1)")));
}

TEST_F(ConfigTest, DefaultIsFirstChoiceOnCpuAndInitialValues) {
  const Configuration c = default_configuration(index);
  EXPECT_EQ(find_fault(index, c), "");
  for (const Selector& selector : c.sites) EXPECT_EQ(selector, Selector{});
  EXPECT_EQ(c.tunables[kTunableSequentialCutoff], std::vector<double>{64});
  EXPECT_EQ(c.tunables[kGroup], (std::vector<double>{16, 16}));
  EXPECT_THAT(c.tunables[kBlock], SizeIs(64));
}

TEST_F(ConfigTest, RandomConfigurationsAreValidAndSurviveTheRoundTrip) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Configuration c = random_configuration(index, seed, {});
    EXPECT_EQ(find_fault(index, c), "");
    EXPECT_EQ(parse(to_json(index, c, -1)), c);
    EXPECT_EQ(parse(to_json(index, c, 0)), c);
    EXPECT_EQ(random_configuration(index, seed, {}), c);
  }
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
}

TEST_F(ConfigTest, RandomAccuracyVariablesWithoutALargestValueStayInTheRangeOfSizes) {
  TrainingInfo open = testing::small_program();
  TunableInfo sweeps;
  sweeps.name = "sweeps";
  sweeps.min = 1;
  sweeps.max = 2147483647;
  sweeps.initial = {700};
  sweeps.role = TunableRole::Accuracy;
  TunableInfo limited = sweeps;
  limited.name = "limited";
  limited.max = 1e6;
  open.transforms[0].tunables = {sweeps, limited};
  const InfoIndex with(open);
  double most = 0, most_limited = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Configuration c = random_configuration(with, seed, {100, false, 2});
    for (int id = 0; id < with.num_tunables(); ++id) {
      const double value = c.tunables[static_cast<std::size_t>(id)][0];
      if (with.tunable(id).tunable->name == "sweeps") most = std::max(most, value);
      if (with.tunable(id).tunable->name == "limited") most_limited = std::max(most_limited, value);
    }
  }
  EXPECT_LE(most, 1400);
  EXPECT_GT(most, 100);
  EXPECT_GT(most_limited, 1e5);
}

/// `Halves` with one merged site of two parts.
TrainingInfo merged_program() {
  TrainingInfo info = testing::small_program();
  TransformInfo halves;
  halves.name = halves.template_name = "Halves";
  AlternativeInfo apart{"L&R", {Version::Cpu}, 3, "", {{"L|W", "L"}, {"R|W", "R"}}};
  AlternativeInfo left{"L&W", {Version::Cpu, Version::OpenCl}, 3, "", {{"L|W", "L"}, {"R|W", "W"}}};
  halves.sites = {{"L|W&R|W", {apart, left}}};
  info.transforms = {halves};
  return info;
}

TEST(MergedSite, IsWrittenAsARulePerPartAndReadBack) {
  const TrainingInfo info = merged_program();
  EXPECT_EQ(parse_training_info(to_json(info), "t.info"), info);
  const InfoIndex index(info);
  Configuration c = default_configuration(index);
  c.sites[0].levels = {{0, 1}, {100, 2}, {200, 0}};
  const std::string text = to_json(index, c, -1);
  EXPECT_THAT(text, HasSubstr(R"({"from":100,"rules":{"L|W":"L","R|W":"W"},"on":"opencl"})"));
  ConfigWarnings warnings;
  EXPECT_EQ(parse_configuration(text, "t.cfg", index, warnings), c);
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Configuration drawn = random_configuration(index, seed, {});
    EXPECT_EQ(parse_configuration(to_json(index, drawn, 0), "t.cfg", index, warnings), drawn);
  }
}

TEST(MergedSite, WithRulesThatDoNotGoTogetherTakesTheDefaultWithAWarning) {
  const TrainingInfo info = merged_program();
  const InfoIndex index(info);
  ConfigWarnings warnings;
  const Configuration c = parse_configuration(
      R"({"transforms": {"Halves": {"sites": {"L|W&R|W": [{"rules": {"L|W": "W", "R|W": "R"}, "on": "cpu"}]}}}})",
      "t.cfg", index, warnings);
  EXPECT_EQ(c, default_configuration(index));
  ASSERT_THAT(warnings.lines("t.cfg"), SizeIs(1));
  EXPECT_THAT(warnings.lines("t.cfg")[0], HasSubstr("Halves.L|W&R|W: W&R together on cpu"));
}

TEST(MergedSite, StandsForTheRulesOfItsPartsAsUsersOfTunables) {
  const TrainingInfo info = merged_program();
  const SiteInfo& site = info.transforms[0].sites[0];
  EXPECT_EQ(site.users_of(site.choice(2)), (std::vector<std::string>{"L.opencl", "W.opencl"}));
}

TEST_F(ConfigTest, RandomConfigurationsReachEveryChoiceAndKeepConfigValues) {
  std::set<int> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Configuration c = random_configuration(index, seed, {});
    for (const Level& level : c.sites[kConvSite].levels) seen.insert(level.alternative);
    EXPECT_EQ(c.tunables[static_cast<std::size_t>(index.find_tunable("Conv", "verbose"))][0], 0);
    EXPECT_LE(c.tunables[kGroup][0] * c.tunables[kGroup][1], 1024);
    const Configuration cpu = random_configuration(index, seed, {4096, false, 4});
    for (const Level& level : cpu.sites[kConvSite].levels) EXPECT_EQ(level.alternative, 0);
  }
  EXPECT_EQ(seen, (std::set<int>{0, 1, 2}));
}

TEST_F(ConfigTest, SelectorUsesTheLastLevelThatStartsAtOrBelowTheSize) {
  const Configuration c = parse(R"({"transforms": {"Conv": {"sites": {"Out#1": [{"rule": "Out#1", "on": "cpu"},
      {"from": 300, "rule": "Out#1", "on": "opencl_local"}, {"from": 1000, "rule": "Out#1", "on": "opencl"}]}}}})");
  const ActiveConfig active(index, c);
  const std::vector<std::pair<int, int>> expected = {{0, 0},   {1, 0},    {299, 0},    {300, 2},
                                                     {999, 2}, {1000, 1}, {1 << 30, 1}};
  for (const auto& [n, alternative] : expected) {
    EXPECT_EQ(active.select(kConvSite, n), alternative) << n;
    EXPECT_EQ(c.sites[kConvSite].select(n), alternative) << n;
  }
}

TEST_F(ConfigTest, SizeSpecificValuesAreIndexedByTheLogarithmOfTheSize) {
  Configuration c = default_configuration(index);
  for (int bucket = 0; bucket < 32; ++bucket) {
    c.tunables[kBlock][static_cast<std::size_t>(bucket) * 2] = bucket + 1;
    c.tunables[kBlock][static_cast<std::size_t>(bucket) * 2 + 1] = 100 + bucket;
  }
  const ActiveConfig active(index, parse(to_json(index, c, -1)));
  EXPECT_EQ(active.tunable_int(kBlock, 0), 1);
  EXPECT_EQ(active.tunable_int(kBlock, 1), 1);
  EXPECT_EQ(active.tunable_int(kBlock, 3), 2);
  EXPECT_EQ(active.tunable_int(kBlock, 4), 3);
  EXPECT_EQ(active.tunable_array(kBlock, 1023)[1], 109);
  EXPECT_EQ(active.tunable_int(kBlock, std::int64_t{1} << 40), 32);
  EXPECT_DOUBLE_EQ(active.tunable_real(index.find_tunable("Conv", "damp")), 0.9);
}

TEST_F(ConfigTest, ThreadsZeroMeansTheAvailableCpus) {
  Configuration c = default_configuration(index);
  EXPECT_EQ(ActiveConfig(index, c).threads(), available_cpus());
  c.tunables[kTunableThreads][0] = 3;
  EXPECT_EQ(ActiveConfig(index, c).threads(), 3);
}

TEST_F(ConfigTest, UnknownNamesAreIgnoredWithOneWarning) {
  const Configuration c = parse(R"({"global": {"gone": 1, "threads": 2}, "transforms": {"Old": {}, "Conv": {
      "sites": {"Gone#1": [], "Out#1": [{"rule": "Out#1", "on": "gone"}, {"from": 9, "rule": "Out#1", "on": "opencl"}]},
      "tunables": {"split_size": 128, "other": [1, 2]}}}})");
  EXPECT_EQ(c.tunables[kSplit][0], 128);
  EXPECT_EQ(c.tunables[kTunableThreads][0], 2);
  EXPECT_EQ(c.sites[kConvSite], (Selector{{{0, 0}, {9, 1}}}));
  EXPECT_THAT(warnings.unknown_names, SizeIs(5));
  EXPECT_THAT(warnings.lines("t.cfg"), SizeIs(1));
  EXPECT_THAT(warnings.lines("t.cfg")[0], HasSubstr("`transforms.Old`"));
}

TEST_F(ConfigTest, MisspeltMembersAreNamedWithWhatIsNear) {
  const Configuration c = parse(R"({"transfroms": {}, "global": {"thread": 2}, "transforms": {"Conv": {"site": {},
      "sites": {"Out#1": [{"form": 9, "rule": "Out#1", "on": "opencl_locl"}]}}}})");
  EXPECT_EQ(c, default_configuration(index));
  EXPECT_EQ(
      warnings.lines("t.cfg"),
      std::vector<std::string>{
          "t.cfg:1:16: the program has no `transfroms` (did you mean `transforms`?), `global.thread` (line 1; did you "
          "mean `threads`?), "
          "`transforms.Conv.site` (line 1; did you mean `sites`?), `Conv.Out#1: form` (line 2; did you mean `from`?), "
          "`Conv.Out#1: Out#1 on opencl_locl` (line 2; did you mean `Out#1 on opencl_local`?); ignored"});
}

TEST_F(ConfigTest, ValuesOutOfRangeTakeTheirDefaultWithOneWarning) {
  const Configuration c = parse(R"({"global": {"threads": 9999, "sequential_cutoff": 2.5}, "transforms": {"Conv": {
      "sites": {"Out#1": [{"rule": "Out#1"}, {"from": 9, "rule": "Out#1", "on": "opencl"}, {"from": 9, "rule": "Out#1"}]},
      "tunables": {"split_size": -3, "damp": "a", "Out#1.opencl.work_group": [8], "block": [1, 2], "device_eighths": 1e300}}}})");
  EXPECT_EQ(c, default_configuration(index));
  EXPECT_THAT(warnings.lines("t.cfg"), SizeIs(2));
  EXPECT_THAT(warnings.lines("t.cfg")[0], HasSubstr("Conv.split_size = -3 (1 to 2147483647)"));
  EXPECT_THAT(warnings.lines("t.cfg")[1], HasSubstr("`Conv.damp: expected a number from "));
}

TEST_F(ConfigTest, ARuleThatItsSiteDoesNotHaveIsAnErrorAtItsPlace) {
  const auto message = [&](const std::string& rule) {
    try {
      parse("{\"transforms\": {\"Conv\": {\n\"sites\": {\"Out#1\": [{\"rule\": \"" + rule + "\"}]}}}}");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(message("Out#1"), "none");
  EXPECT_EQ(message("Out#9"), "t.cfg:2:30: site `Out#1` has no rule `Out#9`; did you mean `Out#1`?");
  EXPECT_EQ(message("Blur"), "t.cfg:2:30: site `Out#1` has no rule `Blur`; its rules are `Out#1`");
}

TEST_F(ConfigTest, ValuesOfAnotherKindAreNamedWithWhatIsExpected) {
  const Configuration c = parse(R"({"global": {"threads": "four"}, "transforms": {"Conv": {
      "tunables": {"split_size": [256], "damp": true}}}})");
  EXPECT_EQ(c, default_configuration(index));
  EXPECT_TRUE(warnings.bad_values.empty());
  EXPECT_EQ(warnings.lines("t.cfg"),
            std::vector<std::string>{
                "t.cfg:1:24: the default is used instead of what stands there: "
                "`threads: expected a number from 0 to 512, found the text \"four\"`, "
                "`Conv.split_size: expected a number from 1 to 2147483647, found a list of one` (line 2), "
                "`Conv.damp: expected a number from 0 to 1, found true` (line 2)"});
}

TEST_F(ConfigTest, MoreThanTwelveLevelsAreOutOfRange) {
  std::string levels;
  for (int i = 0; i < 13; ++i)
    levels += (i > 0 ? "," : "") + std::string("{\"from\": ") + std::to_string(i) + ", \"rule\": \"Out#1\"}";
  const Configuration c = parse("{\"transforms\": {\"Conv\": {\"sites\": {\"Out#1\": [" + levels + "]}}}}");
  EXPECT_EQ(c.sites[kConvSite], Selector{});
  EXPECT_THAT(warnings.bad_values, SizeIs(1));
}

TEST_F(ConfigTest, ForbiddenCombinationsTakeTheDefaultAtTheirSizes) {
  TransformInfo two;
  two.name = "Two";
  two.sites = {{"A", {{"a1", {Version::Cpu}, 1, ""}, {"a2", {Version::Cpu}, 2, ""}}},
               {"B", {{"b1", {Version::Cpu}, 3, ""}, {"b2", {Version::Cpu}, 4, ""}}}};
  two.forbidden = {{{"A", "a1"}, {"B", "b1"}}, {{"A", "a2"}, {"B", "b2"}}};
  TrainingInfo program = info;
  program.transforms = {two};
  const InfoIndex sites(program);
  const Configuration standard = default_configuration(sites);
  EXPECT_EQ(standard.sites[0].levels[0].alternative, 0);
  EXPECT_EQ(standard.sites[1].levels[0].alternative, 1);

  Configuration c = standard;  // a1 b2, from 10 a2 b2, from 20 a2 b1
  c.sites[0].levels = {{0, 0}, {10, 1}};
  c.sites[1].levels = {{0, 1}, {20, 0}};
  EXPECT_NE(find_fault(sites, c), "");
  EXPECT_TRUE(repair_forbidden(sites, c));
  EXPECT_EQ(find_fault(sites, c), "");
  for (const int n : {0, 9, 10, 19}) EXPECT_EQ(c.sites[0].select(n), 0) << n;
  EXPECT_EQ(c.sites[0].select(20), 1);
  EXPECT_EQ(c.sites[1].select(20), 0);
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    EXPECT_EQ(find_fault(sites, random_configuration(sites, seed, {})), "") << seed;
}

TEST(NearestWord, IsFewChangesAwayOrNone) {
  const std::vector<std::string> known{"effort", "device", "n", "seed"};
  EXPECT_EQ(nearest_word("efort", known), "effort");
  EXPECT_EQ(nearest_word("divice", known), "device");
  EXPECT_EQ(nearest_word("picture", known), "");
  EXPECT_EQ(nearest_word("x", known), "");
  EXPECT_EQ(nearest_word("", known), "");
}

TEST(Machine, NoneInParticularIsAnyMachine) { EXPECT_EQ(describe(Machine{}), "any machine"); }

TEST(Machine, DescribesTheMachineQuickly) {
  const Machine machine = detect_machine({{"PoCL", "3.1"}});
  EXPECT_GE(machine.cpus, 1);
  EXPECT_FALSE(machine.cpu.empty());
  EXPECT_EQ(machine, detect_machine({{"PoCL", "3.1"}}));
  EXPECT_EQ(machine_distance(machine, machine), 0);
}

TEST(Machine, DevicesWeighMoreThanTheCpu) {
  const Machine own{"A", 2, 2, {{1, 32768}}, {{"GPU", "1"}}};
  Machine other_cpu = own, other_device = own, other_driver = own;
  other_cpu.cpu = "B";
  other_device.devices[0].name = "Other";
  other_driver.devices[0].driver = "2";
  EXPECT_LT(machine_distance(own, other_driver), machine_distance(own, other_cpu));
  EXPECT_LT(machine_distance(own, other_cpu), machine_distance(own, other_device));
  EXPECT_GT(machine_distance(own, other_driver), 0);
}

}  // namespace
}  // namespace pbrt
