// SPDX-License-Identifier: MIT
// Constants of a program (`pbc --config`): training information names them, and configurations keep them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr int kConvSite = 1, kSplit = 2, kGroup = 3;

/// The small program with a site that uses the device from size 300 on, and two fixed values.
TrainingInfo fixed_program() {
  TrainingInfo info = testing::small_program();
  SiteInfo& site = info.transforms[1].sites[0];
  site.alternatives[0].on = {Version::Cpu, Version::OpenClLocal};
  site.fixed = {{0, 0}, {300, 1}};
  info.transforms[1].tunables[0].fixed = {77};
  info.transforms[1].tunables[1].fixed = {8, 4};
  info.device = "PoCL";
  info.openblas_coretype = "Haswell";
  return info;
}

class FixedTest : public ::testing::Test {
 protected:
  TrainingInfo info = fixed_program();
  InfoIndex index{info};
  ConfigWarnings warnings;

  Configuration parse(const std::string& conv) {
    warnings = {};
    return parse_configuration("{\"transforms\": {\"Conv\": {" + conv + "}}}", "t.cfg", index, warnings);
  }
};

TEST_F(FixedTest, SurvivesTheRoundTrip) { EXPECT_EQ(parse_training_info(to_json(info), "blur.info"), info); }

TEST_F(FixedTest, BrokenConstantsAreErrors) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = to_json(info);
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THROW((void)parse_training_info(with("\"fixed\": [77]", "\"fixed\": [77, 1]"), "i"), ConfigError);
  EXPECT_THROW((void)parse_training_info(with("\"fixed\": [77]", "\"fixed\": [0]"), "i"), ConfigError);
  EXPECT_THROW((void)parse_training_info(with("\"from\": 300", "\"from\": 0"), "i"), ConfigError);
  EXPECT_THROW((void)parse_training_info(with("\"on\": \"opencl_local\"", "\"on\": \"opencl\""), "i"), ConfigError);
}

TEST_F(FixedTest, AreInEveryConfiguration) {
  EXPECT_EQ(default_configuration(index).sites[kConvSite].levels, info.transforms[1].sites[0].fixed);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Configuration c = random_configuration(index, seed, {});
    EXPECT_EQ(find_fault(index, c), "");
    EXPECT_EQ(c.sites[kConvSite].levels, info.transforms[1].sites[0].fixed);
    EXPECT_EQ(c.tunables[kSplit], std::vector<double>{77});
  }
}

TEST_F(FixedTest, CoreTypeIsWhereAConfigurationStarts) {
  EXPECT_EQ(default_configuration(index).openblas_coretype, "Haswell");
  const auto read = [&](const std::string& word) {
    warnings = {};
    return parse_configuration("{\"global\": {\"openblas_coretype\": " + word + "}}", "t.cfg", index, warnings);
  };
  const Configuration zen = read("\"Zen\"");
  EXPECT_EQ(zen.openblas_coretype, "Zen");
  EXPECT_EQ(parse_configuration(to_json(index, zen, -1), "t.cfg", index, warnings), zen);
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
  EXPECT_EQ(read("\"auto\"").openblas_coretype, "auto");
  for (const char* word : {"7", "\"\"", "\"a b\"", "\"a_name_of_more_than_20_letters\"", "null"}) {
    EXPECT_EQ(read(word).openblas_coretype, "Haswell") << word;
    EXPECT_THAT(warnings.lines("t.cfg"), ElementsAre(HasSubstr("openblas_coretype")));
  }
}

TEST_F(FixedTest, OtherValuesAreFaults) {
  Configuration c = default_configuration(index);
  c.sites[kConvSite].levels = {{0, 1}};
  EXPECT_THAT(find_fault(index, c), HasSubstr("`Conv.Out#1` was fixed"));
  c = default_configuration(index);
  c.tunables[kGroup] = {8, 8};
  EXPECT_THAT(find_fault(index, c), HasSubstr("`Conv.Out#1.opencl.work_group` was fixed"));
}

TEST_F(FixedTest, AreReadAgainWithoutAWord) {
  const Configuration c = default_configuration(index);
  EXPECT_EQ(parse_configuration(to_json(index, c, -1), "t.cfg", index, warnings), c);
  EXPECT_THAT(warnings.differences, IsEmpty());
  // Levels that say the same twice, and values that the program would not take either.
  (void)parse(R"("sites": {"Out#1": [{"rule": "Out#1", "on": "cpu"}, {"from": 20, "rule": "Out#1", "on": "cpu"},
                                     {"from": 300, "rule": "Out#1", "on": "opencl_local"}]})");
  EXPECT_THAT(warnings.differences, IsEmpty());
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
}

TEST_F(FixedTest, DifferencesHaveAPlace) {
  const Configuration c = parse(
      "\n\"sites\": {\"Out#1\": [{\"rule\": \"Out#1\", \"on\": \"opencl\"}]},\n"
      "\"tunables\": {\"split_size\": 78, \"Out#1.opencl.work_group\": [8]}");
  EXPECT_EQ(c, default_configuration(index));
  EXPECT_THAT(warnings.differences, ElementsAre(HasSubstr("t.cfg:3:28: `Conv.split_size` was fixed"),
                                                HasSubstr("t.cfg:3:59: `Conv.Out#1.opencl.work_group` was fixed"),
                                                HasSubstr("t.cfg:2:20: `Conv.Out#1` was fixed")));
  EXPECT_THAT(warnings.lines("t.cfg"), IsEmpty());
}

TEST_F(FixedTest, FilesKeepDifferencesAndNamesByEntry) {
  const std::string text = R"({"format": 1, "program": "blur", "entries": [
    {"transforms": {"Conv": {"tunables": {"split_size": 78}}}}, {"transforms": {"Conv": {"tunables": {"damp": 0.5}}}}]})";
  const ConfigFile file = parse_config_file(text, "t.cfg", index);
  ASSERT_EQ(file.entries.size(), 2U);
  EXPECT_EQ(file.entries[0].differences.size(), 1U);
  EXPECT_THAT(file.entries[0].named.tunables, ElementsAre(kSplit));
  EXPECT_THAT(file.entries[1].differences, IsEmpty());
  EXPECT_THAT(file.entries[1].named.tunables, ElementsAre(index.find_tunable("Conv", "damp")));
}

}  // namespace
}  // namespace pbrt
