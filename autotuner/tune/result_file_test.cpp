// SPDX-License-Identifier: MIT
// The file that is written, and what is read from the one before it.
#include "autotuner/tune/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "autotuner/testing/bins_world.h"
#include "autotuner/tune/result_words.h"
#include "runtime/config/errors.h"

namespace pbtune {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

SearchResult result_of(const Configuration& best, double best_ns) {
  SearchResult out;
  out.best = best;
  out.n = 512;
  out.best_ns = best_ns;
  out.default_ns = 4e6;
  out.accuracy = 0.75;
  out.ran = {{testing::kSiteRows, 0}};
  out.is_complete = true;
  return out;
}

pbrt::Machine machine_with(const std::string& cpu) {
  pbrt::Machine out;
  out.cpu = cpu;
  return out;
}

struct ResultFileTest : ::testing::Test {
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path = fs::temp_directory_path() / ("pb_result_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::remove(path);
  }
  void TearDown() override { fs::remove(path); }

  [[nodiscard]] pbrt::ConfigEntry entry(std::span<const SearchResult> found) const {
    return entry_of(options, machine, {64, 512, 1024}, world.index, world.targets, found);
  }

  testing::BinsWorld world;
  TuneOptions options;
  TunedMachine machine{machine_with("One"), "Fake", true};
  std::vector<SearchResult> results{result_of(world.standard(), 1e6),
                                    result_of(world.choosing(testing::kSiteRows, 1), 2e6)};
  fs::path path;
};

TEST_F(ResultFileTest, AnEntryHasTheLastResultAndTheTimesOfAll) {
  options.run.n = 1024;
  options.threads = 3;
  const pbrt::ConfigEntry made = entry(results);
  EXPECT_EQ(made.configuration, results[1].best);
  EXPECT_EQ(made.machine, machine.machine);
  EXPECT_EQ(made.provenance.device, "Fake");
  EXPECT_EQ(made.provenance.effort, "normal");
  EXPECT_EQ(made.provenance.how, "--n 1024 --threads 3");
  EXPECT_THAT(made.provenance.sizes, ElementsAre(64, 512)) << "those that were reached";
  EXPECT_THAT(made.provenance.times_ns,
              ElementsAre(Pair("ConvolveRows: default", 4e6), Pair("ConvolveRows: tuned", 1e6),
                          Pair("ConvolveColumns: default", 4e6), Pair("ConvolveColumns: tuned", 2e6)));
  EXPECT_THAT(made.provenance.accuracies, ElementsAre(Pair("ConvolveRows", 0.75), Pair("ConvolveColumns", 0.75)));
  EXPECT_THAT(made.provenance.ran, ElementsAre(world.index.site_name(testing::kSiteRows))) << "each once";
}

TEST_F(ResultFileTest, WhatIsThereIsTheStartingPoint) {
  EXPECT_FALSE(ResultFile(path, world.index).starting_point(machine.machine).has_value());
  ResultFile(path, world.index).save(entry(results));
  const ResultFile file(path, world.index);
  EXPECT_TRUE(file.warnings().empty());
  const auto ours = file.starting_point(machine.machine);
  ASSERT_TRUE(ours.has_value());
  EXPECT_TRUE(ours->is_incumbent);
  EXPECT_EQ(ours->configuration, results[1].best);
  const auto of_another = file.starting_point(machine_with("Two"));
  ASSERT_TRUE(of_another.has_value());
  EXPECT_FALSE(of_another->is_incumbent);
  EXPECT_EQ(of_another->name, "the configuration of another machine");
}

TEST_F(ResultFileTest, OnlyACompleteSearchOfThisMachineIsFinished) {
  results[1].is_complete = false;
  ResultFile(path, world.index).save(entry(results));
  EXPECT_FALSE(ResultFile(path, world.index).has_finished_entry(machine.machine));
  results[1].is_complete = true;
  ResultFile(path, world.index).save(entry(results));
  EXPECT_TRUE(ResultFile(path, world.index).has_finished_entry(machine.machine));
  EXPECT_FALSE(ResultFile(path, world.index).has_finished_entry(machine_with("Two")));
}

TEST_F(ResultFileTest, ASearchThatEndedBeforeItsTargetKnowsLess) {
  const auto knows_better = [&](std::int64_t n, bool is_complete) {
    std::vector<SearchResult> found = results;
    found.back().n = n;
    found.back().is_complete = is_complete;
    return ResultFile(path, world.index).knows_better(machine.machine, found);
  };
  EXPECT_FALSE(knows_better(64, false)) << "there is no entry";
  std::vector<SearchResult> proven = results;
  for (SearchResult& result : proven) result.is_confirmed = true;
  ResultFile(path, world.index).save(entry(proven));
  EXPECT_TRUE(knows_better(64, false));
  EXPECT_TRUE(knows_better(512, false));
  EXPECT_FALSE(knows_better(1024, false)) << "that is more than was known";
  EXPECT_TRUE(knows_better(512, true)) << "the same choices, and nothing is proven";
  results[1].is_confirmed = true;
  EXPECT_FALSE(knows_better(512, true)) << "the same choices with newer times";
  results[1].is_confirmed = false;
  results[1].best = world.standard();
  EXPECT_FALSE(knows_better(64, true)) << "other choices, at the size that the person asked for";
  results[1].is_complete = false;
  ResultFile(path, world.index).save(entry(results));
  EXPECT_TRUE(knows_better(64, false));
  EXPECT_FALSE(knows_better(512, false)) << "neither is finished";
}

TEST_F(ResultFileTest, AnEntryOfAnotherStateOfTheSourceKnowsNothingOfThisOne) {
  for (SearchResult& result : results) result.is_confirmed = true;
  ResultFile(path, world.index).save(entry(results));
  std::vector<SearchResult> found = results;
  found.back().n = 64;
  found.back().is_complete = false;
  EXPECT_TRUE(ResultFile(path, world.index).knows_better(machine.machine, found));
  pbrt::ConfigFile file = pbrt::read_config_file(path, world.index);
  file.source = "sha256:of another one";
  pbrt::save_config_file(path, world.index, file);
  EXPECT_FALSE(ResultFile(path, world.index).knows_better(machine.machine, found));
  EXPECT_FALSE(ResultFile(path, world.index).has_finished_entry(machine.machine));
}

TEST_F(ResultFileTest, WhatOthersWroteMeanwhileStays) {
  ResultFile file(path, world.index);
  TunedMachine other{machine_with("Two"), "", false};
  ResultFile(path, world.index).save(entry_of(options, other, {512}, world.index, world.targets, results));
  file.save(entry(results));
  const pbrt::ConfigFile written = pbrt::read_config_file(path, world.index);
  ASSERT_EQ(written.entries.size(), 2U);
  EXPECT_EQ(written.entries[0].machine, other.machine);
  EXPECT_EQ(written.entries[1].machine, machine.machine);
}

TEST_F(ResultFileTest, AFileThatOthersBrokeMeanwhileIsLeftAlone) {
  ResultFile file(path, world.index);
  std::ofstream(path) << "no configuration";
  EXPECT_THROW(file.save(entry(results)), pbrt::ConfigError);
  EXPECT_EQ(fs::file_size(path), 16U);
}

TEST_F(ResultFileTest, AFileThatCannotBeWrittenIsAnError) {
  ResultFile file("/nowhere/at/all.cfg", world.index);
  EXPECT_THROW(file.save(entry(results)), pbrt::IoError);
}

TEST_F(ResultFileTest, ADeviceMayBeTriedUnlessThePersonNamesNoneInUse) {
  pbrt::protocol::Hello hello;
  EXPECT_FALSE(machine_of(hello, "").has_device);
  hello.devices = {{"Fake", "1"}};
  EXPECT_TRUE(machine_of(hello, "").has_device);
  EXPECT_FALSE(machine_of(hello, "none").has_device);
  hello.device = "Fake";
  EXPECT_TRUE(machine_of(hello, "Fake").has_device);
  EXPECT_EQ(machine_of(hello, "Fake").device, "Fake");
}

TEST_F(ResultFileTest, WordsSayTheTimeTheTargetAndWhatWasKept) {
  options.run.cases[0].sizes = {{"KWIDTH", 7}};
  results[0].kept = Kept::Default;
  const auto lines = result_lines(options, world.index, world.targets[0], true, "", results[0]);
  EXPECT_THAT(lines[0], HasSubstr("ConvolveRows at size 512, KWIDTH = 7: 1 ms, default 4 ms: "));
  EXPECT_THAT(lines[0], ::testing::EndsWith(", accuracy 0.75, target 0.5"));
  EXPECT_THAT(lines[1], HasSubstr("measurably faster than the default"));
  EXPECT_EQ(accuracy_words(world.targets[2], results[0]), "") << "the main transform asks for none";
}

}  // namespace
}  // namespace pbtune
