// SPDX-License-Identifier: MIT
// pbtune as a user runs it, against a fake program: faults, interruption, resuming, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "autotuner/measure/journal.h"
#include "autotuner/testing/synthetic.h"
#include "autotuner/testing/tuner_fixture.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/info_json.h"
#include "runtime/config/rng.h"

namespace pbtune {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(TunerTest, FindsTheOptimumAndWritesIt) {
  fake("noise=0.02\n");
  tick_s = 0.1;
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_LT(tuned_ns(), 1.25 * testing::synthetic_optimum_ns(index, 1760));
  EXPECT_THAT(ended.output, AllOf(HasSubstr("TwoPass"), HasSubstr("faster"), HasSubstr("on Fake with local memory")));
  const pbrt::ConfigFile file = config();
  ASSERT_EQ(file.entries.size(), 1U);
  EXPECT_EQ(file.entries[0].machine.devices[0].name, "Fake");
  EXPECT_EQ(file.entries[0].provenance.how, "--n 1760 --size KWIDTH=7");
  EXPECT_TRUE(file.warnings.lines("x").empty());
}

TEST_F(TunerTest, SaysWhatWouldBeLostWithoutEachChoice) {
  fake("noise=0.02\n");
  tick_s = 0.1;
  const Ended ended = run({"tune", prog(), "--n", "1760", "--size", "KWIDTH=7", "--effort", "quick"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("the default's choice of SeparableConvolution would be "));
  EXPECT_THAT(ended.output, HasSubstr("the default's choice of ConvolveRows would be "));
  for (const char* command : {"explain", "report"})
    EXPECT_THAT(run({command, prog()}).output, HasSubstr("the default's choice of SeparableConvolution would be "));
  EXPECT_THAT(run({"diff", prog(), prog() + ".cfg", prog() + ".cfg"}).output, HasSubstr("no difference"));
  EXPECT_THAT(run({"compare", prog(), "none", "none", "--n", "100", "--rounds", "1"}).output,
              HasSubstr("are the same: what differs is the noise"));
}

TEST_F(TunerTest, SaysWhyTheDeviceLostByRunsThatAreNoTrials) {
  fake("device_factor=50\n");
  tick_s = 0.1;
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  const pbrt::Provenance provenance = config().entries.at(0).provenance;
  ASSERT_FALSE(provenance.device_losses.empty());
  const pbrt::DeviceLoss& first = provenance.device_losses[0];
  EXPECT_GT(first.time_ns, first.cpu_ns);
  EXPECT_EQ(first.costs.launches, 20);
  EXPECT_EQ(first.costs.bytes_to_device, 64000000);
  EXPECT_GT(first.profiled_ns, 0);
  for (const char* command : {"explain", "report"})
    EXPECT_THAT(run({command, prog()}).output,
                AllOf(HasSubstr(first.sites[0]), HasSubstr(" on Fake: "), HasSubstr("slower: "),
                      HasSubstr("copies of 64 MB to it and 32 MB from it "), HasSubstr("most of it is the copies")));
  EXPECT_THAT(run({"explain", prog(), "--n", "10"}).output, Not(HasSubstr("copies")));
  (void)run({"report", prog(), "--html", prog() + ".html"});
  EXPECT_THAT(slurp(prog() + ".html"), HasSubstr("What lost on the device"));
  EXPECT_THAT(slurp(prog() + ".profiled"), HasSubstr("run 1760 "));
}

TEST_F(TunerTest, WhereTheDeviceWinsNothingIsProfiled) {
  tick_s = 0.1;
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  const std::vector<pbrt::DeviceLoss> losses = config().entries.at(0).provenance.device_losses;
  for (const pbrt::DeviceLoss& loss : losses)
    for (const std::string& site : loss.sites) EXPECT_NE(site, index.site_name(testing::kSiteRows));
  EXPECT_EQ(fs::exists(prog() + ".profiled"), !losses.empty());
}

TEST_F(TunerTest, TheLoadOfOtherProgramsIsNotCounted) {
  fake("load=9\nnoise=0.02\n");
  tick_s = 0.1;
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_LT(tuned_ns(), 1.25 * testing::synthetic_optimum_ns(index, 1760));
  EXPECT_THAT(ended.output, HasSubstr("other programs keep this machine busy: runs wait "));
  const double written_ns = config().entries.at(0).provenance.times_ns.at(1).second;
  EXPECT_NEAR(written_ns, tuned_ns(), 0.1 * tuned_ns());
}

TEST_F(TunerTest, AFastAndWrongVersionNeverWins) {
  fake("wrong=ConvolveRows.Out#1:opencl_local\n");
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_FALSE(ran(testing::kSiteRows, 2));
  EXPECT_THAT(ended.output, AllOf(HasSubstr("fast and gives wrong outputs"), HasSubstr("(seed 1)")));
  EXPECT_THAT(slurp(prog() + ".cfg.journal"), HasSubstr("fast and gives wrong outputs"));
}

TEST_F(TunerTest, CrashesAndFallbacksAndAbortsAreOutcomes) {
  ::setenv("ASAN_OPTIONS", "handle_segv=0", 1);  // in such a build, too, the program dies of its signal
  for (const char* fault : {"crash", "fallback", "abort"}) {
    fake(std::string(fault) + "=ConvolveRows.Out#1:opencl_local\n");
    const Ended ended = tune();
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_FALSE(ran(testing::kSiteRows, 2)) << fault;
    EXPECT_TRUE(ran(testing::kMainSite, 1)) << fault;
    const bool is_crash = std::string(fault) == "crash";
    EXPECT_EQ(ended.output.find("signal 11 (Segmentation fault): about to crash") != std::string::npos, is_crash)
        << ended.output;
    fs::remove(prog() + ".cfg");
  }
}

TEST_F(TunerTest, AHangIsCutOff) {
  fake("hang=Convolve2D.Out#1:opencl_local\n");
  tick_s = 0.02;
  const Ended ended = tune({"--time-limit", "2"});
  EXPECT_THAT(journal(), HasSubstr("it does not end"));
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_FALSE(ran(testing::kSite2D, 2));
}

TEST_F(TunerTest, WhereTheDefaultMakesNoReferenceAnotherOneDoesAndIsNamed) {
  fake("endless_from=900\n");
  tick_s = 0.1;
  const Ended ended = tune({"--time-limit", "8"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("at size 1760"), HasSubstr("the default takes too long to be the reference"),
                    HasSubstr("verified against what agreed with the default at size ")));
  EXPECT_TRUE(ran(testing::kMainSite, 1));
  const JournalContents contents = read_journal(prog() + ".cfg.journal", index);
  EXPECT_TRUE(std::any_of(contents.entries.begin(), contents.entries.end(), [](const JournalEntry& entry) {
    return entry.is_prepare && entry.n == 1760 && entry.prepared.maker == ReferenceMaker::Trusted;
  }));
}

TEST_F(TunerTest, WithFilesTheDefaultOnAllThreadsIsTheReferenceWhereOneIsTooSlow) {
  fake("endless_from=600\n");
  tick_s = 0.1;
  std::ofstream(folder / "in.txt") << "1";
  const Ended ended = run({prog(), "--inputs", folder / "in.txt", "--effort", "quick", "--time-limit", "2"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("verified against the default on all threads"));
}

TEST_F(TunerTest, AProgramKilledFromOutsideIsStartedAgain) {
  fake("die_at=9\n");
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_TRUE(fs::exists(prog() + ".died"));
  EXPECT_THAT(ended.output, Not(HasSubstr("crashes")));
}

TEST_F(TunerTest, OutputsThatDifferFromRunToRunAreNotVerified) {
  fake("differ=1\n");
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("outputs are not verified"));
}

TEST_F(TunerTest, KilledAtRandomItResumesAndLosesAtMostOneMeasurement) {
  constexpr std::uint64_t kSeed = 20240817;
  std::cout << "seed " << kSeed << std::endl;
  pbrt::Rng rng(kSeed);
  fake("delay_ms=2\n");
  tick_s = 0.15;
  int kills = 0;
  for (; kills < 6; ++kills) {
    const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
    wait_for_journal(pid, static_cast<std::size_t>(rng.uniform_int(0, 30000)));
    ::kill(pid, SIGKILL);
    const Ended ended = wait(pid);
    if (ended.status != 128 + SIGKILL) break;
    // The tuner was killed in the middle of a line:
    if (kills % 2 == 1 && fs::exists(prog() + ".cfg.journal"))
      std::ofstream(prog() + ".cfg.journal", std::ios::app) << "{\"run\": \"12";
  }
  EXPECT_GT(kills, 2);
  const Ended ended = run({prog(), "--n", "1760", "--effort", "quick"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("resuming: "));
  const JournalContents journal = read_journal(prog() + ".cfg.journal", index);
  EXPECT_TRUE(journal.is_done);
  EXPECT_TRUE(journal.notes.empty()) << journal.notes[0];
  const auto is_run = [](const JournalEntry& entry) { return !entry.is_prepare; };
  const auto recorded = static_cast<int>(std::count_if(journal.entries.begin(), journal.entries.end(), is_run));
  // A run is missing from the journal if the tuner was killed before it wrote the run's line.
  EXPECT_LE(num_runs(), recorded + kills);
}

std::ptrdiff_t num_measurements(const std::string& journal) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = journal.find("{\"run\""); at != std::string::npos; at = journal.find("{\"run\"", at + 1))
    ++count;
  return count;
}

TEST_F(TunerTest, AResumedSearchFindsWhatAnUninterruptedOneFinds) {
  ASSERT_EQ(tune().status, 0);
  const Configuration whole = config().entries.at(0).configuration;
  const std::string whole_journal = journal();
  for (const double share : {0.05, 0.4, 0.9}) {
    fs::remove(prog() + ".cfg");
    std::ofstream(prog() + ".cfg.journal", std::ios::trunc)
        << whole_journal.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole_journal.size())));
    const Ended ended = tune();
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_EQ(config().entries.at(0).configuration, whole) << share;
    EXPECT_EQ(num_measurements(journal()), num_measurements(whole_journal)) << share;
  }
}

TEST_F(TunerTest, AJournalOfAnotherSearchIsKeptAsideWithANote) {
  fake("delay_ms=5\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for_journal(pid, 2000);
  ::kill(pid, SIGKILL);
  (void)wait(pid);
  ASSERT_TRUE(fs::exists(prog() + ".cfg.journal"));
  fake("");
  const Ended ended = run({prog(), "--n", "880", "--effort", "quick"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("with other arguments"));
  EXPECT_TRUE(fs::exists(prog() + ".cfg.journal.old"));
}

TEST_F(TunerTest, GivenNumbersTellSearchesApart) {
  const std::vector<std::string> command{prog(),  "--n",   "1760", "--effort",
                                         "quick", "--set", "By=2", "--set=Limit=inf"};
  std::vector<std::string> other = command;
  other[6] = "By=3";
  for (const auto& [next, words] : {std::pair{command, "resuming: "}, std::pair{other, "with other arguments"}}) {
    fs::remove(prog() + ".cfg");
    fs::remove(prog() + ".cfg.journal");
    fake("delay_ms=5\n");
    const pid_t pid = start(command);
    wait_for_journal(pid, 2000);
    ::kill(pid, SIGKILL);
    (void)wait(pid);
    EXPECT_EQ(slurp(prog() + ".given"), "By=2\nLimit=inf\n");
    fake("");
    EXPECT_THAT(run(next).output, HasSubstr(words));
  }
  EXPECT_EQ(slurp(prog() + ".given"), "By=3\nLimit=inf\n");
  EXPECT_THAT(config().entries.at(0).provenance.how, HasSubstr("--set By=3 --set Limit=inf"));
}

TEST_F(TunerTest, GivenNumbersGoToTheProgramInAllCommandsThatRunIt) {
  EXPECT_EQ(run({"compare", prog(), "none", "--n", "100", "--rounds", "2", "--set", "By=4"}).status, 0);
  EXPECT_EQ(slurp(prog() + ".given"), "By=4\n");
  EXPECT_EQ(run({"check", prog(), "--outputs", "--n", "100", "--count", "2", "--set", "By=5"}).status, 0);
  EXPECT_EQ(slurp(prog() + ".given"), "By=5\n");
  EXPECT_THAT(tune({"--set", "By=1", "--set", "By=2"}).output, HasSubstr("--set: By is given twice"));
  EXPECT_THAT(tune({"--set", "By"}).output, HasSubstr("expected NAME=VALUE, found `By`"));
}

TEST_F(TunerTest, InterruptedItConfirmsTheBestSoFarAndSaysHowToResume) {
  fake("delay_ms=5\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for_journal(pid, 30000);
  ::kill(pid, SIGINT);
  const Ended ended = wait(pid);
  EXPECT_EQ(ended.status, 130) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("Ctrl-C again ends at once"), HasSubstr("the best so far (at size 1760, "),
                                  HasSubstr("run the same command again"), Not(HasSubstr("unconfirmed"))));
  EXPECT_EQ(config().entries.size(), 1U);
  const pbrt::Provenance before = config().entries[0].provenance;
  EXPECT_THAT(before.effort, HasSubstr("not finished"));
  EXPECT_TRUE(before.unconfirmed.empty());
  // The times are those of the configuration that is written, at the target size.
  EXPECT_NEAR(before.times_ns.at(1).second, tuned_ns(), 1e-6 * tuned_ns());
  fake("");
  const Ended again = run({prog(), "--n", "1760", "--effort", "quick"});
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("resuming: "));
  EXPECT_THAT(config().entries[0].provenance.effort, Not(HasSubstr("not finished")));
  const JournalContents contents = read_journal(prog() + ".cfg.journal", index);
  EXPECT_TRUE(contents.notes.empty()) << contents.notes[0];  // the confirmation is no part of the search
}

TEST_F(TunerTest, InterruptedTwiceItEndsAtOnceAndClaimsNothing) {
  fake("delay_ms=5\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for_journal(pid, 30000);
  // From now on the program does not answer, so that the comparison does not end.
  fs::remove(prog() + ".fake");
  for (const auto& entry : fs::directory_iterator("/proc"))
    if (slurp(entry.path() / "cmdline").rfind(prog() + '\0', 0) == 0)
      ::kill(static_cast<pid_t>(std::stol(entry.path().filename())), SIGSTOP);
  ::kill(pid, SIGINT);
  wait_for([&] { return slurp(folder / "output").find("Ctrl-C again") != std::string::npos; });
  ::kill(pid, SIGINT);
  const Ended ended = wait(pid);
  EXPECT_EQ(ended.status, 130) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("the best so far"), HasSubstr(", unconfirmed) is in ")));
  EXPECT_THAT(run({"report", prog()}).output, HasSubstr("faster, unconfirmed"));
}

TEST_F(TunerTest, AskedToEndByAnotherSignalItEndsAtOnce) {
  fake("delay_ms=5\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for_journal(pid, 30000);
  ::kill(pid, SIGTERM);
  const Ended ended = wait(pid);
  EXPECT_EQ(ended.status, 130) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("unconfirmed"), Not(HasSubstr("Ctrl-C again"))));
}

TEST_F(TunerTest, WhereTheProgramIsGoneTheBestSoFarIsWritten) {
  fake("delay_ms=2\ndie_at=60\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for_journal(pid, 2000);
  fs::remove(prog());
  const Ended ended = wait(pid);
  EXPECT_EQ(ended.status, 1) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("cannot run `" + prog() + "`: No such file or directory: the best so far"),
                                  HasSubstr("run the same command again")));
  EXPECT_EQ(config().entries.size(), 1U);
}

TEST_F(TunerTest, AJournalThatCannotBeWrittenEndsNoSearch) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little{20000, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);  // inherited: writes fail, as on a full disk
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const Ended ended = tune();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("warning: cannot write the journal"), HasSubstr("written to ")));
  EXPECT_EQ(config().entries.size(), 1U);
  EXPECT_EQ(journal().back(), '\n');  // no half a line stays
}

TEST_F(TunerTest, AConfigurationThatCannotBeWrittenIsPrinted) {
  fake("delay_ms=2\n");
  fs::create_directories(folder / "there");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick", "-o", folder / "there/x.cfg"});
  wait_for([&] { return fs::exists(folder / "there/x.cfg.journal"); });
  fs::remove_all(folder / "there");
  const Ended ended = wait(pid);
  EXPECT_EQ(ended.status, 1) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("error: cannot write"), HasSubstr("{\"format\":2,\"program\""),
                                  Not(HasSubstr("written to"))));
}

TEST_F(TunerTest, InterruptedItLeavesAFinishedEntryAlone) {
  ASSERT_EQ(tune().status, 0);
  const std::string before = slurp(prog() + ".cfg");
  fake("delay_ms=5\n");
  const pid_t pid = start({prog(), "--n", "880", "--effort", "quick"});
  wait_for([&] { return fs::exists(prog() + ".cfg.journal.old") && journal().size() > 20000; });
  ::kill(pid, SIGINT);
  const Ended ended = wait(pid);
  EXPECT_EQ(ended.status, 130) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("keeps the configuration of before"));
  EXPECT_EQ(slurp(prog() + ".cfg"), before);
}

TEST_F(TunerTest, ASecondSearchThatFindsNothingFasterKeepsWhatIsThere) {
  ASSERT_EQ(tune().status, 0);
  pbrt::ConfigFile file = config();
  const Configuration first = testing::synthetic_optimum(index, 1760);
  file.entries[0].raw.clear();
  file.entries[0].configuration = first;
  pbrt::save_config_file(prog() + ".cfg", index, file);
  const Ended again = tune();
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("nothing that was tried is measurably faster than the configuration of before"));
  EXPECT_EQ(config().entries.at(0).configuration, first);
}

TEST_F(TunerTest, WhereNothingIsFasterTheDefaultIsKeptAndSaysSo) {
  fake("flat_ms=5\nnoise=0.1\n");
  const Ended ended = tune();
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("nothing that was tried is measurably faster than the default"));
  EXPECT_EQ(config().entries.at(0).configuration, pbrt::default_configuration(index));
}

TEST_F(TunerTest, ComparesTwoConfigurationsInTurns) {
  ASSERT_EQ(tune().status, 0);
  const Ended better = run({"compare", prog(), prog() + ".cfg", "--n", "1760"});
  EXPECT_EQ(better.status, 0) << better.output;
  EXPECT_THAT(better.output, AllOf(HasSubstr("21 rounds in turns"), HasSubstr(prog() + ".cfg is "),
                                   HasSubstr(" times as fast ("), HasSubstr("the default")));
  const Ended worse = run({"compare", prog(), "none", prog() + ".cfg", "--n", "1760", "--rounds", "7"});
  EXPECT_THAT(worse.output, HasSubstr(prog() + ".cfg is "));
  const Ended same = run({"compare", prog(), prog() + ".cfg", prog() + ".cfg", "--n", "1760"});
  EXPECT_THAT(same.output, HasSubstr("no difference is proven"));
  EXPECT_THAT(run({"compare", prog(), prog() + ".cfg", "--n", "1760", "--rounds", "3"}).output,
              HasSubstr("too few rounds to say more; give it more --rounds"));
  const Ended no_size = run({"compare", prog(), prog() + ".cfg"});
  EXPECT_EQ(no_size.status, 1);
  EXPECT_THAT(no_size.output, HasSubstr("expected the size"));
  fake("wrong=ConvolveRows.Out#1:opencl_local\n");
  const Ended wrong = run({"compare", prog(), prog() + ".cfg", "--n", "1760"});
  EXPECT_EQ(wrong.status, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr("its outputs differ from the default's"));
}

TEST_F(TunerTest, NoProcessSurvivesAKilledTuner) {
  fake("hang=Convolve2D.Out#1:cpu\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick"});
  wait_for([&] { return num_runs() > 0; });
  ::kill(pid, SIGKILL);
  (void)wait(pid);
  const std::string name = prog();
  for (int tries = 0; tries < 40; ++tries) {
    bool is_there = false;
    for (const auto& entry : fs::directory_iterator("/proc"))
      is_there = is_there || slurp(entry.path() / "cmdline").rfind(name, 0) == 0;
    if (!is_there) return;
    ::usleep(50000);
  }
  FAIL() << "the program is still running";
}

TEST_F(TunerTest, EntriesOfOtherMachinesSurvive) {
  pbrt::ConfigFile file{"synthetic", info.source, {}, {}, {}};
  pbrt::put_entry(file, {{"Other", 64, 32, {}, {}}, {}, pbrt::random_configuration(index, 5, {}), ""});
  pbrt::save_config_file(prog() + ".cfg", index, file);
  ASSERT_EQ(tune().status, 0);
  ASSERT_EQ(config().entries.size(), 2U);
  EXPECT_EQ(config().entries[0].configuration, file.entries[0].configuration);
}

TEST_F(TunerTest, BadSurroundingsEndInOneLineAndLeaveTheFileAlone) {
  EXPECT_EQ(run({(folder / "none").string(), "--n", "10"}).output,
            "pbtune: cannot run `" + (folder / "none").string() + "`: No such file or directory\n");
  EXPECT_EQ(run({prog()}).status, 1);
  EXPECT_EQ(run({prog(), "--n", "10", "--size", "K"}).status, 1);
  std::ofstream(prog() + ".cfg") << R"({"format": 1, "program": "other", "entries": []})";
  const std::string before = slurp(prog() + ".cfg");
  const Ended other = tune();
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.output, HasSubstr("belongs to program `other`"));
  EXPECT_EQ(slurp(prog() + ".cfg"), before);
  fs::remove(prog() + ".cfg");
  const Ended no_folder = tune({"-o", (folder / "none" / "x.cfg").string()});
  EXPECT_EQ(no_folder.status, 1);
  EXPECT_THAT(no_folder.output, HasSubstr("cannot write"));
  fs::remove(prog() + ".info");
  EXPECT_THAT(tune().output, HasSubstr("pbc writes it beside the program"));
}

TEST_F(TunerTest, TwoAtATimeAreRefused) {
  fake("delay_ms=50\n");
  const pid_t pid = start({prog(), "--n", "1760", "--effort", "quick", "--quiet"});
  wait_for_journal(pid, 0);
  const Ended second = tune();
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.output, HasSubstr("another pbtune is tuning this program"));
  ::kill(pid, SIGINT);
  EXPECT_EQ(wait(pid).status, 130);
}

TEST_F(TunerTest, InputFilesAreOneSize) {
  std::ofstream(folder / "in.txt") << "1";
  const std::string file = (folder / "in.txt").string();
  const Ended ended = run({prog(), "--inputs", file, "--effort", "quick"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("at size 640"));
}

TEST_F(TunerTest, LooksAtConfigurations) {
  ASSERT_EQ(tune().status, 0);
  const Ended explained = run({"explain", prog()});
  EXPECT_EQ(explained.status, 0);
  EXPECT_THAT(
      explained.output,
      AllOf(HasSubstr("at size 1760 (tuned with --n 1760 --size KWIDTH=7)"), HasSubstr("SeparableConvolution: TwoPass"),
            HasSubstr("ConvolveRows: on Fake with local memory, work-groups of "), Not(HasSubstr("Convolve2D"))));
  EXPECT_THAT(run({"report", prog()}).output,
              AllOf(HasSubstr("instead of"), HasSubstr("last search: "), HasSubstr("over")));
  const Ended page = run({"report", prog(), "--html", (folder / "report.html").string()});
  EXPECT_EQ(page.output, "written to " + (folder / "report.html").string() + "\n");
  EXPECT_THAT(slurp(folder / "report.html"),
              AllOf(HasSubstr("Fixed choices at size 1760"), HasSubstr("ConvolveRows.Out#1"), HasSubstr("</html>")));
  EXPECT_THAT(run({"check", prog()}).output, HasSubstr("valid, 1 entry"));
  pbrt::ConfigFile other = config();
  other.entries[0].raw.clear();
  other.entries[0].configuration.tunables[2][0] = 77;
  pbrt::save_config_file(folder / "b.cfg", index, other);
  const Ended differing = run({"diff", prog(), prog() + ".cfg", (folder / "b.cfg").string()});
  EXPECT_EQ(differing.status, 1);
  EXPECT_THAT(differing.output, HasSubstr("-> 77"));
  EXPECT_EQ(run({"diff", prog(), prog() + ".cfg", prog() + ".cfg"}).status, 0);
  EXPECT_EQ(run({"diff", prog(), "none", "none"}).status, 0);
  EXPECT_THAT(run({"diff", prog(), "none", (folder / "b.cfg").string()}).output,
              AllOf(HasSubstr("-> 77"), Not(HasSubstr("machine:"))));
}

TEST_F(TunerTest, PrintsRandomValidConfigurations) {
  const Ended once = run({"sample", prog(), "--count", "20", "--seed", "3", "--threads", "2"});
  EXPECT_EQ(once.status, 0);
  EXPECT_EQ(run({"sample", prog(), "--count", "20", "--seed", "3", "--threads", "2"}).output, once.output);
  std::istringstream lines(once.output);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    pbrt::ConfigWarnings warnings;
    EXPECT_EQ(pbrt::find_fault(index, pbrt::parse_configuration(line, "sample", index, warnings)), "");
    EXPECT_TRUE(warnings.lines("sample").empty());
    // A printed line is also a file for --config.
    const pbrt::ConfigFile file = pbrt::parse_config_file(line, "sample", index);
    ASSERT_EQ(file.entries.size(), 1U);
    EXPECT_EQ(file.entries[0].configuration, pbrt::parse_configuration(line, "sample", index, warnings));
    EXPECT_EQ(file.program, "synthetic");
  }
  EXPECT_EQ(count, 20);
  EXPECT_THAT(once.output, HasSubstr(R"("on":"opencl)"));
  EXPECT_THAT(run({"sample", prog(), "--count", "20", "--device", "none"}).output, Not(HasSubstr(R"("on":"opencl)")));
}

TEST_F(TunerTest, ChecksThatAllChoicesAgreeAndNamesTheOneThatDoesNot) {
  const Ended good = run({"check", prog(), "--outputs", "--count", "5"});
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_THAT(good.output, HasSubstr("all choices agree"));
  fake("fail_below=4\n");
  const Ended partly = run({"check", prog(), "--outputs", "--count", "2", "--max-n", "20"});
  EXPECT_EQ(partly.status, 0) << partly.output;
  EXPECT_THAT(partly.output,
              AllOf(HasSubstr("note: size 3: the program fails under its default configuration: n is too small"),
                    HasSubstr("not checked: 4 sizes at which the default configuration itself fails")));
  const Ended nowhere = run({"check", prog(), "--outputs", "--n", "3"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(nowhere.output, HasSubstr("the default configuration fails at every size tried"));
  fake("crash=ConvolveColumns.Out#1:opencl\n");
  EXPECT_THAT(run({"check", prog(), "--outputs"}).output,
              AllOf(HasSubstr("size 3: crashed"), HasSubstr("`pbc --checked`")));
  fake("wrong=ConvolveColumns.Out#1:opencl\nskip_below=2\n");
  const Ended bad = run({"check", prog(), "--outputs"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.output,
              AllOf(HasSubstr("size 3: wrong"), HasSubstr("rule Out#1 of ConvolveColumns (line 54) on opencl")));
}

}  // namespace
}  // namespace pbtune
