// SPDX-License-Identifier: MIT
// pbtune as a user runs it for several cases, against a fake program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "autotuner/measure/journal.h"
#include "autotuner/testing/tuner_fixture.h"

namespace pbtune {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(TunerTest, ServesSeveralCasesWithOneConfiguration) {
  fake("noise=0.02\n");
  tick_s = 0.1;
  std::ofstream(folder / "in.txt") << "1";
  const std::string file = (folder / "in.txt").string();
  const Ended ended =
      run({prog(), "--n", "1760", "--size", "KWIDTH=3", "--size", "KWIDTH=11", "--inputs", file, "--effort", "quick"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("3 cases, "), HasSubstr("at size 1760, 3 cases, means: "), HasSubstr("\n  KWIDTH = 3: "),
                    HasSubstr("\n  KWIDTH = 11: "), HasSubstr("\n  in.txt: "), Not(HasSubstr("unconfirmed"))));
  const pbrt::Provenance provenance = config().entries.at(0).provenance;
  EXPECT_EQ(provenance.how, "--n 1760 --size KWIDTH=3 --size KWIDTH=11 --inputs " + file);
  EXPECT_THAT(provenance.cases, ::testing::ElementsAre("KWIDTH = 3", "KWIDTH = 11", "in.txt"));
  ASSERT_EQ(provenance.times_ns.size(), 8U);
  EXPECT_EQ(provenance.times_ns[2].first, "KWIDTH = 3: default");
  EXPECT_TRUE(provenance.unconfirmed.empty());
  // The mean of the cases' gains is the gain of all.
  double product = 1;
  for (std::size_t k = 2; k < 8; k += 2) product *= provenance.times_ns[k].second / provenance.times_ns[k + 1].second;
  const double gain = provenance.times_ns[0].second / provenance.times_ns[1].second;
  EXPECT_NEAR(std::cbrt(product), gain, 0.05 * gain);
  EXPECT_THAT(run({"report", prog()}).output, HasSubstr("  KWIDTH = 11: "));
}

TEST_F(TunerTest, ASearchForSeveralCasesIsResumed) {
  const std::vector<std::string> cases{"--size", "KWIDTH=11"};
  ASSERT_EQ(tune(cases).status, 0);
  const Configuration whole = config().entries.at(0).configuration;
  const auto times_ns = config().entries.at(0).provenance.times_ns;
  const std::string whole_journal = journal();
  for (const std::size_t num_lost : {std::size_t{0}, whole_journal.size() / 2}) {
    fs::remove(prog() + ".cfg");
    const std::string before_end = whole_journal.substr(0, whole_journal.rfind("{\"done"));
    std::ofstream(prog() + ".cfg.journal", std::ios::trunc) << before_end.substr(0, before_end.size() - num_lost);
    const Ended ended = tune(cases);
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_THAT(ended.output, HasSubstr("resuming: "));
    EXPECT_EQ(config().entries.at(0).configuration, whole) << num_lost;
    EXPECT_EQ(config().entries.at(0).provenance.times_ns, times_ns) << num_lost;
  }
  EXPECT_THAT(tune({"--size", "KWIDTH=9"}).output, Not(HasSubstr("resuming: ")));
}

TEST_F(TunerTest, CasesWhoseSizesAreAllFixedTakePartAtTheLastSizeAlone) {
  tick_s = 0.1;
  const Ended ended = tune({"--size", "w=900", "--size", "h=700", "--size", "KWIDTH=3"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("  KWIDTH = 7, w = 900, h = 700: "), HasSubstr("  KWIDTH = 3, w = 900, ")));
  for (const JournalEntry& entry : read_journal(prog() + ".cfg.journal", index).entries) {
    const bool has_inputs = entry.is_prepare && entry.prepared.status == PrepareStatus::Ready;
    EXPECT_EQ(entry.n == 1760, has_inputs || !entry.is_prepare);
  }
  const Ended large = tune({"--size", "w=9000", "--size", "h=700", "--size", "KWIDTH=3"});
  EXPECT_THAT(large.output, HasSubstr("at size 9000, 2 cases, means: "));
}

TEST_F(TunerTest, CasesThatDoNotGoTogetherAreRefused) {
  EXPECT_THAT(tune({"--size", "KWIDTH=7"}).output, HasSubstr("the case `KWIDTH = 7` is given twice"));
  EXPECT_THAT(tune({"--size", "KWIDTH=3", "--size", "w=4"}).output, HasSubstr("fixes other sizes than the case"));
  EXPECT_THAT(run({prog(), "--size", "KWIDTH=3", "--size", "KWIDTH=5"}).output,
              HasSubstr("expected the size to tune for (--n N): the inputs of the case `KWIDTH = 3` are generated"));
  const Ended compared = run({"compare", prog(), "none", "--n", "10", "--size", "KWIDTH=3", "--size", "KWIDTH=5"});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.output, HasSubstr("expected one case, found 2: `KWIDTH = 3`, `KWIDTH = 5`"));
  fake("skip_below=2000\n");
  const Ended skipped = tune({"--size", "KWIDTH=3"});
  EXPECT_EQ(skipped.status, 1);
  EXPECT_THAT(skipped.output,
              HasSubstr("the program has no inputs of size 1760: case `KWIDTH = 7`: no inputs of this"));
}

}  // namespace
}  // namespace pbtune
