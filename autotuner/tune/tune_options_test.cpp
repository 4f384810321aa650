// SPDX-License-Identifier: MIT
// Tests of what follows from a person's options.
#include "autotuner/tune/tune_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbtune {
namespace {

using ::testing::Contains;
using ::testing::Not;

TEST(TuneOptions, TheTimeLimitGoesBeforeTheEffort) {
  EXPECT_LT(search_options(Effort::Quick, 0, 1).budget_s, search_options(Effort::Full, 0, 1).budget_s);
  EXPECT_DOUBLE_EQ(search_options(Effort::Full, 100, 1).budget_s, 95) << "some of it is for the end";
}

TEST(TuneOptions, WhatHasASayTellsJournalsApart) {
  TuneOptions options;
  options.run.cases[0].sizes = {{"K", 7}};
  options.run.given = {{"By", "2"}};
  const std::vector<std::string> before = journal_arguments(options);
  EXPECT_THAT(before, Contains("--size=K=7"));
  EXPECT_THAT(before, Contains("--set=By=2"));
  EXPECT_THAT(before, Not(Contains("--resident")));
  options.is_quiet = true;
  EXPECT_EQ(journal_arguments(options), before) << "it decides nothing";
  options.is_resident = true;
  EXPECT_NE(journal_arguments(options), before);
  options.is_resident = false;
  options.run.device_memory = "1G";
  EXPECT_NE(journal_arguments(options), before);
}

TEST(TuneOptions, ArgumentsAreWrittenAsAPersonWould) {
  TuneOptions options;
  EXPECT_EQ(arguments_text(options), "");
  options.run.cases[0].inputs = {"a.txt", "b.txt"};
  options.run.device = "0";
  options.run.device_memory = "64K";
  options.run.device_limit = "2.5";
  options.is_resident = true;
  EXPECT_EQ(arguments_text(options),
            "--inputs a.txt b.txt --device 0 --device-memory 64K --device-limit 2.5 --resident");
}

}  // namespace
}  // namespace pbtune
