// SPDX-License-Identifier: MIT
// pbtune against a fake program: signals that are ignored, files that change, odd words and programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "autotuner/testing/tuner_fixture.h"

namespace pbtune {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(TunerTest, ASignalThatIsIgnoredStaysIgnored) {
  fake("delay_ms=1\n");
  ignored_signal = SIGHUP;  // as under nohup
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for_journal(pid, 2000);
  ::kill(pid, SIGHUP);
  const Ended ended = wait(pid);
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, Not(HasSubstr("interrupted")));
}

TEST_F(TunerTest, ASearchWithOtherInputsOfTheSameNamesBeginsAnew) {
  const auto put_input = [&](const char* text) { std::ofstream(folder / "in.txt") << text; };
  const std::vector<std::string> command{prog(), "--inputs", folder / "in.txt", "--effort", "quick"};
  for (const auto& [text, words] : {std::pair{"1", "resuming: "}, std::pair{"2", "with other contents of the input"}}) {
    fs::remove(prog() + ".cfg");
    fs::remove(prog() + ".cfg.journal");
    put_input("1");
    fake("delay_ms=5\n");
    const pid_t pid = start(command);
    wait_for_journal(pid, 2000);
    ::kill(pid, SIGKILL);
    (void)wait(pid);
    put_input(text);
    fake("");
    EXPECT_THAT(run(command).output, HasSubstr(words));
  }
}

TEST_F(TunerTest, AMistypedNameIsOneErrorAndTakesNoJournalAway) {
  fake("delay_ms=5\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for_journal(pid, 2000);
  ::kill(pid, SIGKILL);
  (void)wait(pid);
  const std::string before = journal();
  EXPECT_EQ(tune({"--size", "q=3"}).output,
            "pbtune: --size q: there is no such size variable; SeparableConvolution has w, h, KWIDTH\n");
  EXPECT_EQ(tune({"--set", "Limi=3"}).output,
            "pbtune: --set Limi: there is no such `param` or input that is one number; SeparableConvolution has By, "
            "Limit; did you mean Limit?\n");
  EXPECT_THAT(run({"compare", prog(), "none", "--n", "10", "--size", "q=3"}).output,
              HasSubstr("no such size variable"));
  EXPECT_THAT(run({"check", prog(), "--outputs", "--size", "q=3"}).output, HasSubstr("no such size variable"));
  EXPECT_EQ(journal(), before);
  EXPECT_FALSE(fs::exists(prog() + ".cfg.journal.old"));
}

TEST_F(TunerTest, AShortSearchLeavesTheRecordOfALongerOneAlone) {
  ASSERT_EQ(tune().status, 0);
  const std::string before = slurp(prog() + ".cfg");
  fake("delay_ms=20\n");
  const Ended ended = tune({"--time-limit", "0.1"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("at most 0.095 s"), HasSubstr("keeps the configuration of before"),
                                  Not(HasSubstr("than -")), Not(HasSubstr("written to"))));
  EXPECT_EQ(slurp(prog() + ".cfg"), before);
}

TEST_F(TunerTest, AReportReplacesOnlyAPageOfItsOwn) {
  ASSERT_EQ(tune().status, 0);
  std::ofstream(folder / "prog.pbcc") << "transform T";
  std::ofstream(folder / "own.html")
      << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\"/>\n";
  for (const char* name : {"prog", "prog.info", "prog.cfg", "prog.cfg.journal", "prog.pbcc", "own.html"}) {
    const std::string before = slurp(folder / name);
    const Ended ended = run({"report", prog(), "--html", folder / name});
    EXPECT_EQ(ended.status, 1) << name;
    EXPECT_THAT(ended.output, HasSubstr("page")) << name;
    EXPECT_EQ(slurp(folder / name), before) << name;
  }
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run({"report", prog(), "--html", folder / "page.html"}).status, 0);
}

TEST_F(TunerTest, TheLargestSeedIsAsGoodAsOthers) {
  const Ended ended = tune({"--seed", "18446744073709551615"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_EQ(config().entries.at(0).provenance.seed, UINT64_MAX);
  EXPECT_EQ(tune({"--seed", "18446744073709551616"}).status, 1);
}

TEST_F(TunerTest, WordsOfHyphensAreUnknownOptions) {
  EXPECT_THAT(run({prog(), "---"}).output, HasSubstr("pbtune: unknown option `---`\n"));
}

TEST_F(TunerTest, FlagsTakeNoValue) {
  EXPECT_THAT(tune({"--resident=3"}).output, HasSubstr("pbtune: --resident takes no value\n"));
  EXPECT_THAT(run({"check", prog(), "--outputs=no"}).output, HasSubstr("pbtune check: --outputs takes no value\n"));
}

TEST_F(TunerTest, AProgramThatPrintsTooEarlyIsToldSo) {
  fs::remove(prog());
  std::ofstream(prog()) << "#!/bin/sh\necho library 1.2 is ready\nread line\n";
  ASSERT_EQ(::chmod(prog().c_str(), 0755), 0);
  EXPECT_THAT(tune().output, AllOf(HasSubstr("--serve` prints is `library 1.2 is ready`"),
                                   HasSubstr("nothing may be printed to standard output before `main` begins")));
}

}  // namespace
}  // namespace pbtune
