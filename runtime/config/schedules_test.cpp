// SPDX-License-Identifier: MIT
// Levels that test size variables, and schedules: what a call takes, and what files may say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "runtime/config/active_config.h"
#include "runtime/config/configuration.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/info_json.h"
#include "runtime/config/test_program.h"

namespace pbrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kSite = 0, kSplit = 2, kOrder = 3, kGroup = 4;

class SchedulesTest : public ::testing::Test {
 protected:
  TrainingInfo info = testing::product_program();
  InfoIndex index{info};
  ConfigWarnings warnings;

  Configuration parse(const std::string& product) {
    warnings = {};
    const Configuration out =
        parse_configuration("{\"transforms\": {\"Product\": {" + product + "}}}", "t.cfg", index, warnings);
    EXPECT_EQ(find_fault(index, out), "");
    return out;
  }
  Configuration parse_levels(const std::string& levels) { return parse("\"sites\": {\"C#1\": [" + levels + "]}"); }
};

constexpr const char* kTwoShapes = R"("sites": {"C#1": [{"rule": "C#1", "on": "cpu"},
    {"from": 300, "rule": "C#1", "on": "opencl"}, {"from": 8, "by": "k", "rule": "C#1", "on": "opencl", "schedule": 2},
    {"from": 1000, "by": "n", "rule": "C#1", "on": "cpu", "schedule": 2}]},
  "schedules": {"C#1": [{"C#1.opencl.work_group": [16, 16]},
                        {"C#1.cpu.fold_order": 1, "C#1.opencl.work_group": [64, 1]}]})";

TEST_F(SchedulesTest, TheLastLevelThatHoldsCounts) {
  const Configuration c = parse(kTwoShapes);
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
  EXPECT_EQ(c.sites[kSite].levels, (std::vector<Level>{{0, 0}, {300, 1}, {8, 1, 1, 2}, {1000, 0, 1, 3}}));
  const ActiveConfig active(index, c);
  for (const std::int64_t m : {1, 299, 300, 2000})
    for (const std::int64_t k : {1, 7, 8, 400})
      for (const std::int64_t n : {1, 299, 300, 999, 1000}) {
        const std::int64_t sizes[] = {std::max({m, k, n}), m, k, n};
        const int expected = n >= 1000 ? 3 : k >= 8 ? 2 : sizes[0] >= 300 ? 1 : 0;
        const int level = active.level_at(kSite, sizes);
        EXPECT_EQ(level, expected) << m << " " << k << " " << n;
        EXPECT_EQ(&c.sites[kSite].level_for(sizes), &c.sites[kSite].levels[static_cast<std::size_t>(level)]);
        EXPECT_EQ(active.select(kSite, sizes), active.alternative(kSite, level));
      }
}

TEST_F(SchedulesTest, EachHasNumbersOfItsOwn) {
  const Configuration c = parse(kTwoShapes);
  EXPECT_EQ(num_schedules(index, c, kSite), 2);
  EXPECT_EQ(c.tunables[kOrder], (std::vector<double>{0, 1}));
  EXPECT_EQ(c.tunables[kGroup], (std::vector<double>{16, 16, 64, 1}));
  const ActiveConfig active(index, c);
  const std::int64_t deep[] = {50, 50, 8, 50}, flat[] = {400, 400, 1, 50};
  EXPECT_EQ(active.schedule(kSite, active.level_at(kSite, deep)), 1);
  EXPECT_EQ(active.schedule(kSite, active.level_at(kSite, flat)), 0);
  EXPECT_EQ(active.scheduled_int(kOrder, 1), 1);
  EXPECT_EQ(active.scheduled_array(kGroup, 1)[0], 64);
  EXPECT_EQ(active.scheduled_array(kGroup, 0)[1], 16);
  const auto other = active.in_other_fold_order(index);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->scheduled_int(kOrder, 0), 1);
  EXPECT_EQ(other->scheduled_int(kOrder, 1), 0);
  EXPECT_EQ(other->scheduled_array(kGroup, 1)[0], 64);
}

TEST_F(SchedulesTest, RandomOnesAreValidAndSurviveTheRoundTrip) {
  int with_schedules = 0, with_variables = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Configuration c = random_configuration(index, seed, {});
    EXPECT_EQ(find_fault(index, c), "");
    EXPECT_EQ(parse_configuration(to_json(index, c, -1), "t.cfg", index, warnings), c);
    with_schedules += num_schedules(index, c, kSite) > 1 ? 1 : 0;
    with_variables += c.sites[kSite].tests_variables() ? 1 : 0;
  }
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
  EXPECT_GT(with_schedules, 20);
  EXPECT_GT(with_variables, 20);
}

TEST_F(SchedulesTest, Format1MeansWhatItMeant) {
  const std::string text = R"("transforms": {"Product": {"sites": {"C#1": [{"rule": "C#1", "on": "cpu"},
      {"from": 300, "rule": "C#1", "on": "opencl"}]}, "tunables": {"split_size": 8, "C#1.opencl.work_group": [64, 1]}}})";
  const ConfigFile file = parse_config_file(
      R"({"format": 1, "program": "product", "source": "sha256:0123", "entries": [{)" + text + "}]}", "t.cfg", index);
  EXPECT_THAT(file.notes, IsEmpty());
  EXPECT_THAT(file.warnings.lines("t.cfg"), IsEmpty());
  const Configuration& c = file.entries.at(0).configuration;
  EXPECT_EQ(c.sites[kSite].levels, (std::vector<Level>{{0, 0}, {300, 1}}));
  EXPECT_EQ(c.tunables[kGroup], (std::vector<double>{64, 1}));
  EXPECT_EQ(c.tunables[kSplit], std::vector<double>{8});
  const std::string written = to_json(index, c, -1);
  EXPECT_THAT(written, HasSubstr(R"("schedules":{"C#1":[{"C#1.cpu.fold_order":0,"C#1.opencl.work_group":[64,1]}]})"));
  EXPECT_THAT(written, HasSubstr(R"("tunables":{"split_size":8})"));
  EXPECT_EQ(parse_configuration(written, "t.cfg", index, warnings), c);
}

TEST_F(SchedulesTest, ValuesThatStandAloneAreThoseOfAllSchedules) {
  const Configuration c = parse(R"("schedules": {"C#1": [{}, {"C#1.opencl.work_group": [8, 8]}]},
                                   "tunables": {"C#1.cpu.fold_order": 1, "C#1.opencl.work_group": [4, 4]})");
  EXPECT_EQ(c.tunables[kOrder], (std::vector<double>{1, 1}));
  EXPECT_EQ(c.tunables[kGroup], (std::vector<double>{4, 4, 8, 8}));
}

TEST_F(SchedulesTest, UnknownSizeVariablesAreIgnoredWithTheirLevels) {
  const Configuration c = parse_levels(R"({"rule": "C#1"}, {"from": 8, "by": "depth", "rule": "C#1", "on": "opencl"},
                                          {"from": 4, "by": "k", "rule": "C#1", "on": "opencl"})");
  EXPECT_EQ(c.sites[kSite].levels, (std::vector<Level>{{0, 0}, {4, 1, 0, 2}}));
  ASSERT_EQ(warnings.lines("t.cfg").size(), 1U);
  EXPECT_THAT(warnings.lines("t.cfg")[0], HasSubstr("the program has no `Product.C#1: size variable depth`; ignored"));
}

TEST_F(SchedulesTest, SizesIncreaseForEachThatIsTested) {
  EXPECT_EQ(parse_levels(R"({"rule": "C#1"}, {"from": 8, "by": "k", "rule": "C#1"}, {"from": 2, "rule": "C#1"})")
                .sites[kSite]
                .levels.size(),
            3U);
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
  for (const char* levels :
       {R"({"rule": "C#1"}, {"from": 8, "by": "k", "rule": "C#1"}, {"from": 8, "by": "k", "rule": "C#1"})",
        R"({"rule": "C#1"}, {"by": "k", "rule": "C#1"})",
        R"({"from": 8, "by": "k", "rule": "C#1"}, {"rule": "C#1", "on": "opencl"})"}) {
    EXPECT_EQ(parse_levels(levels).sites[kSite], Selector{}) << levels;
    EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("sizes must increase from level to level"))) << levels;
  }
  for (const char* from : {"-5", "2.5"}) {
    EXPECT_EQ(parse_levels(R"({"rule": "C#1"}, {"from": )" + std::string(from) + R"(, "rule": "C#1"})").sites[kSite],
              Selector{});
    EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("`from` is a whole number from 0"))) << from;
  }
  (void)parse_levels("");
  EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("no levels")));
  // What is missing below is the default.
  EXPECT_EQ(parse_levels(R"({"from": 8, "by": "k", "rule": "C#1", "on": "opencl"})").sites[kSite].levels,
            (std::vector<Level>{{0, 0}, {8, 1, 0, 2}}));
}

TEST_F(SchedulesTest, ASingleSizeVariableIsTheLargestSize) {
  info.transforms[0].sizes = {"n"};
  const Configuration c = parse_levels(R"({"rule": "C#1"}, {"from": 8, "by": "n", "rule": "C#1", "on": "opencl"})");
  EXPECT_EQ(c.sites[kSite].levels, (std::vector<Level>{{0, 0}, {8, 1}}));
}

TEST_F(SchedulesTest, WhatSchedulesDoNotHaveIsSetAsideWithAWarning) {
  const Configuration missing = parse_levels(R"({"rule": "C#1", "schedule": 2})");
  EXPECT_EQ(missing.sites[kSite], Selector{});
  EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("`Product.C#1: schedule 2 of 1`")));
  EXPECT_EQ(parse(R"("schedules": {"C#1": [{}, {}, {}, {}, {}]})"), default_configuration(index));
  EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("5 schedules (1 to 4)")));
  (void)parse(R"("schedules": {"C#1": [{"split_size": 8}], "D#1": [{}]})");
  EXPECT_THAT(warnings.unknown_names, ElementsAre("Product.C#1: split_size", "transforms.Product.schedules.D#1"));
  EXPECT_EQ(parse(R"("schedules": {"C#1": [{}, {"C#1.cpu.fold_order": 7}]})").tunables[kOrder],
            (std::vector<double>{0, 0}));
  EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("fold_order = 7 (0 to 1)")));
}

TEST_F(SchedulesTest, FaultsAreFound) {
  const Configuration good = parse(kTwoShapes);
  Configuration c = good;
  c.sites[kSite].levels[2].schedule = 2;
  EXPECT_THAT(find_fault(index, c), HasSubstr("names a schedule that does not exist"));
  c = good;
  c.sites[kSite].levels[2].by = 4;
  EXPECT_THAT(find_fault(index, c), HasSubstr("tests a size variable that does not exist"));
  c = good;
  c.tunables[kGroup].resize(2);
  EXPECT_THAT(find_fault(index, c), HasSubstr("wrong number of values"));
  c = good;
  set_num_schedules(index, c, kSite, 1);
  EXPECT_EQ(find_fault(index, c), "");
  EXPECT_EQ(c.tunables[kGroup], (std::vector<double>{16, 16}));
  EXPECT_EQ(c.sites[kSite].levels[3], (Level{1000, 0, 0, 3}));
}

TEST_F(SchedulesTest, ForbiddenChoicesMayNotMeetAtAnySizes) {
  TransformInfo& product = info.transforms[0];
  product.sites = {{"A|B", {{"A", {Version::Cpu}, 1, ""}, {"B", {Version::Cpu}, 2, ""}}},
                   {"C|D", {{"C", {Version::Cpu}, 3, ""}, {"D", {Version::Cpu}, 4, ""}}}};
  product.forbidden = {{{"A|B", "B"}, {"C|D", "D"}}};
  product.tunables.clear();
  const InfoIndex two(info);
  Configuration c = default_configuration(two);
  c.sites[0].levels = {{0, 0}, {8, 1, 0, 1}};
  EXPECT_TRUE(is_allowed(two, c));
  c.sites[1].levels = {{0, 0}, {900, 1, 0, 3}};
  EXPECT_FALSE(is_allowed(two, c)) << "m and n may both be large";
  EXPECT_TRUE(repair_forbidden(two, c));
  EXPECT_EQ(c, default_configuration(two));
}

TEST_F(SchedulesTest, ConstantsOfAProgramAreCompared) {
  const Configuration c = parse(kTwoShapes);
  info.transforms[0].sites[0].fixed = c.sites[kSite].levels;
  info.transforms[0].tunables[1].fixed = c.tunables[kOrder];
  info.transforms[0].tunables[2].fixed = c.tunables[kGroup];
  EXPECT_EQ(parse_training_info(to_json(info), "p.info"), info);
  const InfoIndex fixed(info);
  EXPECT_EQ(default_configuration(fixed), c);
  EXPECT_EQ(find_fault(fixed, c), "");
  const auto num_differences = [&](const std::string& product) {
    warnings = {};
    EXPECT_EQ(parse_configuration("{\"transforms\": {\"Product\": {" + product + "}}}", "t.cfg", fixed, warnings), c);
    EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
    return warnings.differences.size();
  };
  EXPECT_EQ(num_differences(kTwoShapes), 0U);
  EXPECT_EQ(parse_configuration(to_json(fixed, c, -1), "t.cfg", fixed, warnings), c);
  EXPECT_THAT(warnings.differences, IsEmpty());
  // A level that says the same once more, by the same size.
  std::string twice = kTwoShapes;
  const std::string by_n = R"({"from": 1000, "by": "n")";
  twice.insert(twice.find(by_n), R"({"from": 90, "by": "k", "rule": "C#1", "on": "opencl", "schedule": 2}, )");
  EXPECT_EQ(num_differences(twice), 0U);
  EXPECT_EQ(num_differences(R"("schedules": {"C#1": [{"C#1.cpu.fold_order": 0}, {"C#1.cpu.fold_order": 0}]})"), 1U);
  EXPECT_EQ(num_differences(R"("tunables": {"C#1.cpu.fold_order": 0})"), 1U);
  EXPECT_EQ(num_differences(R"("sites": {"C#1": [{"rule": "C#1", "on": "cpu"}]})"), 1U);
}

TEST_F(SchedulesTest, TrainingInformationNamesSitesThatExist) {
  info.transforms[0].tunables[1].site = "D#1";
  EXPECT_THROW((void)parse_training_info(to_json(info), "p.info"), ConfigError);
}

}  // namespace
}  // namespace pbrt
