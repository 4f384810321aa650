// SPDX-License-Identifier: MIT
// The command line, file mode and timing mode, on mini_program.
#include <atomic>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "runtime/main/machine/native_libraries.h"
#include "runtime/main/modes/run_watch.h"
#include "runtime/main/report/stats.h"
#include "runtime/main/testing/test_process.h"

namespace pbrt {
namespace {

using nlohmann::json;
using test::Finished;

class ProgramMain : public test::ProcessTest {
 protected:
  void SetUp() override {
    ProcessTest::SetUp();
    put("a.txt", "SIZE 6\n1 2 3 4 5 6\n");
    put("k.txt", "SIZE 2\n1 1\n");
  }
  void put_config(const std::string& rule, const std::string& on, const std::string& more = "") const {
    put("c.cfg",
        R"({"format": 1, "program": "mini", "source": "sha256:0000", "entries": [{"machine": {"cpu": "x", "cpus": 1, "caches": [], "devices": []},
      "global": {"threads": 2}, "transforms": {"Blur": {"sites": {"Out#1|TwoPass": [{"rule": ")" +
            rule + R"(", "on": ")" + on + R"("}]})" + more + "}}}]}");
  }
};

TEST_F(ProgramMain, RunsOnTextFiles) {
  const Finished run = mini("a.txt k.txt out.txt");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out + run.err, "");
  EXPECT_EQ(get("out.txt"), "SIZE 5\n   3    5    7    9   11 \n\n");
}

TEST_F(ProgramMain, ReadsAndWritesStandardStreams) {
  const Finished run = mini("- --time - - <both.txt", "cat a.txt k.txt >both.txt &&");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "SIZE 5\n   3    5    7    9   11 \n\n");
  EXPECT_NE(run.err.find("Blur at size 6:"), std::string::npos);
  EXPECT_EQ(mini("a.txt k.txt - | cat").out, "SIZE 5\n   3    5    7    9   11 \n\n");
}

TEST_F(ProgramMain, SkipsWritingToTheNullDevice) { EXPECT_EQ(mini("a.txt k.txt /dev/null").status, 0); }

TEST_F(ProgramMain, KeepsDigitsOnRequest) {
  put("k.txt", "SIZE 1\n0.1\n");
  put("a.txt", "SIZE 1\n1\n");
  EXPECT_EQ(mini("--precision=17 a.txt k.txt -").out, "SIZE 1\n0.10000000000000001 \n\n");
}

TEST_F(ProgramMain, TakesParamsBeforeFiles) {
  EXPECT_EQ(mini("--transform Identity 2 -").out, "SIZE 2 2\n   1    0 \n   0    1 \n\n");
  EXPECT_NE(mini("--transform Identity two -").err.find("param n: expected an integer"), std::string::npos);
  EXPECT_EQ(mini("--transform Identity -3 -").status, 1);
}

TEST_F(ProgramMain, TakesNumbersFromOptionsInsteadOfWordsAndFiles) {
  put("by.txt", "SIZE\n2\n");
  put("level.txt", "SIZE\n3\n");
  const std::string scale = "--transform Scale ";
  EXPECT_EQ(mini(scale + "9 by.txt level.txt a.txt -").out, "SIZE 6\n   5    7    9   11   13   15 \n\n");
  EXPECT_EQ(mini(scale + "--set By=2 --set Level=3 --set k=9 a.txt -").out,
            "SIZE 6\n   5    7    9   11   13   15 \n\n");
  EXPECT_EQ(mini(scale + "--set=By=-.5 9 level.txt a.txt -").out, "SIZE 6\n 2.5    2  1.5    1  0.5    0 \n\n");
  EXPECT_EQ(mini(scale + "--set By=nan --set Level=0 1 a.txt -").out, "SIZE 6\n nan  nan  nan  nan  nan  nan \n\n");
  EXPECT_EQ(mini(scale + "--set By=-inf --set Level=0 1 a.txt -").out, "SIZE 6\n-inf -inf -inf -inf -inf -inf \n\n");
  const std::string usage = "\nusage: mini [options] Level A[n] B[n]\n";
  EXPECT_EQ(mini(scale + "--set By=2 --set k=1 by.txt level.txt a.txt -").err,
            "mini: expected 3 arguments, found 4; what --set gives has no place among them: k, By" + usage);
  EXPECT_EQ(mini(scale + "--set By=2 --set k=1 a.txt -").err, "mini: expected 3 arguments, found 2" + usage);
  EXPECT_NE(mini(scale + "--set By=2 --help").out.find("usage: mini [options] k Level A[n] B[n]\n"), std::string::npos);
  EXPECT_NE(mini(scale + "--help").out.find("given by --set k=V, --set By=V, --set Level=V instead"),
            std::string::npos);
}

TEST_F(ProgramMain, SaysWhatIsWrongWithANumberOfAnOption) {
  const auto error_of = [&](const std::string& options) {
    return mini("--transform Scale " + options + " a.txt -").err;
  };
  EXPECT_EQ(error_of("--set Level=300"),
            "mini: --set Level=300: expected an integer from 0 to 255, what uchar holds\n");
  EXPECT_EQ(error_of("--set Level=1.5"),
            "mini: --set Level=1.5: expected an integer from 0 to 255, what uchar holds\n");
  EXPECT_EQ(error_of("--set By=two"), "mini: --set By=two: expected a number that double holds, nan or inf\n");
  EXPECT_EQ(error_of("--set By=1e999"), "mini: --set By=1e999: expected a number that double holds, nan or inf\n");
  EXPECT_EQ(error_of("--set k=1.5"), "mini: --set k=1.5: expected an integer of 32 bits, found 1.5\n");
  EXPECT_EQ(error_of("--set Levle=3"),
            "mini: --set Levle: there is no such `param` or input; Scale has k, By, Level; did you mean Level?\n");
  EXPECT_EQ(error_of("--set A=3"), "mini: --set A: `A[n]` is no single number: it comes from a file\n");
  EXPECT_EQ(error_of("--set B=3"), "mini: --set B: `B[n]` is an output\n");
  EXPECT_EQ(error_of("--set n=3"), "mini: --set n: n is a size; the option for sizes is --size n=V\n");
  EXPECT_EQ(error_of("--set By=1 --set By=2"), "mini: --set By is given twice\n");
  EXPECT_EQ(error_of("--set k=1 --size k=2 --set By=1 --set Level=1"), "mini: --set k and --size k are both given\n");
  EXPECT_EQ(error_of("--set By"), "mini: --set=By: expected NAME=VALUE\n");
}

TEST_F(ProgramMain, GeneratesNumbersOfTheRangesOfInputs) {
  const auto run = [&](const std::string& options) {
    return mini("--transform Scale --n 500 --seed 3 --iogen-create g " + options);
  };
  ASSERT_EQ(run("--size k=2").status, 0);
  const std::string text = get("g_in0.dat");
  double least = 2, greatest = -2;
  const char* at = text.c_str() + text.find('\n');
  for (char* end = nullptr; (void(std::strtod(at, &end)), end != at); at = end) {
    least = std::min(least, std::strtod(at, nullptr));
    greatest = std::max(greatest, std::strtod(at, nullptr));
  }
  EXPECT_TRUE(least >= -1 && least < -0.98 && greatest > 0.98 && greatest < 1) << least << " " << greatest;
  std::string levels;
  for (int seed = 0; seed < 30; ++seed) {
    ASSERT_EQ(mini("--transform Scale --n 1 --set k=3 --iogen-create s --seed " + std::to_string(seed)).status, 0);
    levels += get("s_in1.dat").substr(5);
  }
  for (const char digit : {'1', '2', '3'}) EXPECT_NE(levels.find(digit), std::string::npos) << digit;
  EXPECT_EQ(levels.find_first_not_of(" 123\n"), std::string::npos) << levels;
  ASSERT_EQ(run("--set k=2 --set By=0.25 --set Level=200").status, 0);
  EXPECT_EQ(get("g_in2.dat").find("0.25"), get("g_in2.dat").find_first_of("0123456789"));
  EXPECT_NE(get("g_in1.dat").find("200"), std::string::npos);
  EXPECT_EQ(
      run("--set k=-4").err,
      "mini: input `Level in 1..k`: the range is 1 to -4 for n = 500, k = -4: the first bound is above the second\n");
  EXPECT_EQ(run("--set k=256").err,
            "mini: input `Level in 1..k`: the range is 1 to 256 for n = 500, k = 256: its type holds 0 to 255\n");
}

TEST_F(ProgramMain, ConvertsPicturesAndTypes) {
  put("in.ppm", "P6\n2 1\n255\n\3\6\11abc");
  const Finished run = mini("--tx=Luminance in.ppm grey.pgm sum.npy");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(get("grey.pgm"), "P5\n2 1\n255\n\6b");
  EXPECT_EQ(get("sum.npy").substr(128), std::string("\0\0\0\0\0\0\x5a\x40", 8));
}

TEST_F(ProgramMain, PrintsUsageForAWrongNumberOfFiles) {
  const Finished run = mini("a.txt");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "mini: expected 3 arguments, found 1\nusage: mini [options] In[n] Kernel[K] Out[n-K+1]\n");
  EXPECT_EQ(mini("--size n=5 --size K=3 --time").err,
            "mini: expected 3 arguments, found 0; on generated inputs it runs with --n N\n"
            "usage: mini [options] In[n] Kernel[K] Out[n-K+1]\n");
}

TEST_F(ProgramMain, SuggestsTheOptionThatWasMeant) {
  EXPECT_EQ(mini("--trails 3").err, "mini: unknown option --trails; did you mean --trials?\n");
  EXPECT_EQ(mini("--xyzzy").err, "mini: unknown option --xyzzy; --help lists the options\n");
  EXPECT_EQ(mini("---").err, "mini: unknown option ---; --help lists the options\n");
  EXPECT_EQ(mini("--n").err, "mini: --n needs a value: --n N\n");
  EXPECT_EQ(mini("--n=").status, 1);
  EXPECT_EQ(mini("--trials=0 --n 3").err, "mini: --trials=0: expected an integer from 1 to 1000000000\n");
}

TEST_F(ProgramMain, OfAnOptionThatIsGivenTwiceTheLastOneCounts) {
  const Finished run = mini(
      "--n 5 --n=6 --size K=2 --size K=3 --threads 1 --threads 2 --config nowhere --cfg none --stats=text "
      "--stats=json");
  EXPECT_EQ(run.status, 0) << run.err;
  const json stats = json::parse(run.out);
  EXPECT_EQ(stats["n"], 6);
  EXPECT_EQ(stats["threads"], 2);
}

TEST_F(ProgramMain, SaysWhatStandsForOptionsOfPetaBricks) {
  const std::string tuned = "; `pbtune PROGRAM --n N` finds the choices that are fast and accurate enough\n";
  EXPECT_EQ(mini("--accuracy-training").err, "mini: there is no option --accuracy-training" + tuned);
  EXPECT_EQ(mini("--acctrials=3").err, "mini: there is no option --acctrials" + tuned);
  EXPECT_EQ(mini("--race-with other.cfg").err,
            "mini: there is no option --race-with; `pbtune compare PROGRAM A.cfg B.cfg --n N` says which of two "
            "configurations is faster\n");
  EXPECT_EQ(mini("--hosts F").err, "mini: there is no option --hosts; a program runs on one machine\n");
}

TEST_F(ProgramMain, ListsItsOptions) {
  const Finished run = mini("--help");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out.substr(0, 53), "usage: mini [options] In[n] Kernel[K] Out[n-K+1]\n    ");
  EXPECT_NE(run.out.find("--list-devices"), std::string::npos);
}

TEST_F(ProgramMain, NamesMatrixFormulaAndSizesThatDoNotFit) {
  put("k.txt", "SIZE 9\n1 1 1 1 1 1 1 1 1\n");
  EXPECT_EQ(mini("a.txt k.txt out.txt").err,
            "mini: `Out[n-K+1]`: dimension 0, `n-K+1`, would be -2 for n = 6, K = 9\n");
  put("p.txt", "SIZE 1 1 4\n1 2 3 4\n");
  EXPECT_EQ(mini("--tx Luminance p.txt o s").err,
            "mini: p.txt: dimension 2 of `RGB[w, h, 3]` is 4, but `3` is 3 for w = 1, h = 1\n");
  EXPECT_EQ(mini("--size n=7 a.txt k.txt out.txt").err,
            "mini: a.txt: dimension 0 of `In[n]` is 6, but `n` is 7 for n = 7, K = 9\n");
  EXPECT_EQ(mini("--size m=7 a.txt k.txt out.txt").err,
            "mini: --size m: there is no such size variable; Blur has n, K\n");
  EXPECT_FALSE(exists("out.txt"));
}

TEST_F(ProgramMain, ReportsFilesThatCannotBeUsed) {
  EXPECT_EQ(mini("none.txt k.txt out.txt").err, "mini: cannot read none.txt: No such file or directory\n");
  EXPECT_EQ(mini("a.txt k.txt none/out.txt").err, "mini: cannot write none/out.txt: there is no folder none\n");
  EXPECT_EQ(mini("a.txt k.txt /dev/full").err, "mini: cannot write /dev/full: No space left on device\n");
  put("bad.txt", "SIZE 2\n1 one\n");
  EXPECT_EQ(mini("bad.txt k.txt out.txt").err, "mini: bad.txt:2:3: `one` is not a number\n");
  put("short.txt", "SIZE 4\n1 2 3   ");
  EXPECT_EQ(mini("short.txt k.txt out.txt").err, "mini: short.txt:2:9: the file ends after 3 of 4 numbers\n");
  EXPECT_FALSE(exists("out.txt"));
}

TEST_F(ProgramMain, LeavesTheOldOutputWhenTheDiskIsFull) {
  put("out.txt", "old");
  put("big.txt", "SIZE 1 ");
  std::string numbers = "SIZE 20000\n";
  for (int i = 0; i < 20000; ++i) numbers += "1 ";
  put("big.txt", numbers);
  const Finished run = mini("big.txt k.txt out.txt", "ulimit -f 8;");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "mini: cannot write out.txt: File too large\n");
  EXPECT_EQ(get("out.txt"), "old");
}

TEST_F(ProgramMain, GivesAnAbortedRunStatus66) {
  put_config("GivesUp", "cpu");
  put("out.txt", "old");
  const Finished run = mini("--config c.cfg a.txt k.txt out.txt");
  EXPECT_EQ(run.status, 66);
  EXPECT_EQ(get("out.txt"), "old");
  EXPECT_EQ(mini("--config c.cfg --n 50").status, 66);
}

TEST_F(ProgramMain, StopsARecursionThatDoesNotEnd) {
  for (const char* args : {"--tx Endless --n 10 --threads 1", "--tx Endless --n 1000 --threads 2"}) {
    const Finished run = mini(args);
    EXPECT_EQ(run.status, 66) << args;
    EXPECT_EQ(run.err, "mini: recursion does not end under this configuration\n");
  }
}

TEST_F(ProgramMain, ExplainsAFailedAssertion) {
  put_config("Broken", "cpu");
  const Finished run = mini("--config c.cfg a.txt k.txt out.txt");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("assertion failed: n < 0\n  n = 6\n  K = 2\n  this rule is broken\n"), std::string::npos);
  EXPECT_FALSE(exists("out.txt"));
}

TEST_F(ProgramMain, UsesTheConfigurationThatIsGiven) {
  put_config("TwoPass", "cpu");
  const Finished run = mini("--config c.cfg --stats=json a.txt k.txt out.txt");
  const json stats = json::parse(run.out);
  EXPECT_EQ(stats["ran"]["Blur.Out#1|TwoPass"]["rule"], "TwoPass");
  EXPECT_EQ(stats["threads"], 2);
  EXPECT_EQ(run.out.find('\n'), run.out.size() - 1);
  EXPECT_EQ(json::parse(mini("--config c.cfg --threads 1 --stats=json a.txt k.txt out.txt").out)["threads"], 1);
  EXPECT_EQ(mini("--config none.cfg a.txt k.txt out.txt").status, 1);
  EXPECT_EQ(mini("--config none a.txt k.txt out.txt").status, 0);
  put("broken.cfg", "{");
  EXPECT_EQ(mini("--config broken.cfg a.txt k.txt out.txt").status, 1);
}

TEST_F(ProgramMain, NeverWritesAConfigurationUnasked) {
  (void)mini("a.txt k.txt out.txt");
  (void)mini("--n 10 --threads 1");
  EXPECT_FALSE(std::filesystem::exists(std::string(MINI_PROGRAM) + ".cfg"));
  EXPECT_EQ(mini("--config new.cfg --reset").status, 0);
  EXPECT_EQ(mini("--config new.cfg a.txt k.txt out.txt").status, 0);
  EXPECT_EQ(json::parse(get("new.cfg"))["program"], "mini");
  put("broken.cfg", "{");
  const Finished reset = mini("--config broken.cfg --reset");
  EXPECT_EQ(reset.status, 1);
  EXPECT_NE(reset.err.find("--reset keeps what a file has for other machines: remove this file"), std::string::npos)
      << reset.err;
}

TEST_F(ProgramMain, RepeatsRandomNumbersForAnyNumberOfThreads) {
  std::string first;
  for (const char* threads : {"1", "2", "4", "2"}) {
    const json stats =
        json::parse(mini(std::string("--n 2000 --size K=3 --seed 5 --hash --stats=json --threads ") + threads).out);
    const std::string hash = stats["output_hash"];
    if (first.empty()) first = hash;
    EXPECT_EQ(hash, first) << threads << " threads";
  }
  EXPECT_NE(json::parse(mini("--n 2000 --size K=3 --seed 6 --hash --stats=json").out)["output_hash"], first);
}

TEST_F(ProgramMain, RestoresInPlaceOutputsBeforeEachTrial) {
  const std::string once = json::parse(mini("--tx Twice --n 50 --seed 1 --hash --stats=json").out)["output_hash"];
  const json thrice = json::parse(mini("--tx Twice --n 50 --seed 1 --trials 3 --hash --stats=json").out);
  EXPECT_EQ(thrice["output_hash"], once);
  EXPECT_EQ(thrice["times_ns"].size(), 3U);
}

TEST_F(ProgramMain, OnlyTheFirstTrialBeginsWithoutTheOutputsOfAnother) {
  EXPECT_EQ(mini("--tx Fresh --n 50 --threads 1").status, 0);
  EXPECT_EQ(mini("--tx Fresh --n 50 --threads 1 --trials 2").status, 66);
}

TEST_F(ProgramMain, RepeatsRunsOnFiles) {
  const Finished run = mini("--trials 3 --time a.txt k.txt out.txt");
  EXPECT_EQ(run.out.substr(0, 23), "Blur at size 6: median ");
  EXPECT_NE(run.out.find(" ms, least "), std::string::npos) << run.out;
  EXPECT_EQ(get("out.txt"), "SIZE 5\n   3    5    7    9   11 \n\n");
}

TEST(RunWatch, ExpiresOnlyWhereItLivesLongerThanTheLimit) {
  std::atomic<int> num_expired = 0;
  const auto expire = [&] { ++num_expired; };
  { const RunWatch none(0, expire); }
  { const RunWatch long_limit(1e30, expire); }
  EXPECT_EQ(num_expired, 0);
  {
    const RunWatch short_limit(1e-3, expire);
    while (num_expired == 0) std::this_thread::yield();
  }
  EXPECT_EQ(num_expired, 1);
}

TEST(Stats, ARunThatWasEndedIsInfinitelySlow) {
  StatsInput input;
  input.transform = "T";
  input.seconds = {std::numeric_limits<double>::max()};
  EXPECT_NE(stats_xml(input).find("<timing count=\"1\" average=\"1.79769313486232e+308\""), std::string::npos);
  EXPECT_EQ(stats_text(input, false).substr(0, 41), "T at size 1: median longer than --max-sec");
  EXPECT_TRUE(json::parse(stats_json(input))["times_ns"][0].is_null());
}

TEST_F(ProgramMain, SkipsFurtherTrialsAfterASlowRun) {
  EXPECT_EQ(json::parse(mini("--n 50000 --trials 9 --max-sec 1e-9 --stats=json").out)["times_ns"].size(), 1U);
}

TEST_F(ProgramMain, CountsDownTheNumbersOfGeneratedFiles) {
  EXPECT_EQ(mini("--n 8 --size K=3 --seed 3 --iogen-create p").status, 0);
  EXPECT_EQ(get("p_in1.dat").substr(0, 7), "SIZE 8\n");
  EXPECT_EQ(get("p_in0.dat").substr(0, 7), "SIZE 3\n");
  EXPECT_EQ(get("p_out0.dat").substr(0, 7), "SIZE 6\n");
  EXPECT_EQ(mini("--iogen-run p --trials 2 --time").status, 0);
  EXPECT_EQ(mini("--iogen-create p a.txt k.txt out.txt").err,
            "mini: --iogen-create needs --n N: it writes inputs that are generated, of that size\n");
}

TEST_F(ProgramMain, PrintsTimesAsXml) {
  const Finished run = mini("--n 10 --size K=2 --trials 2 --stats=xml --hash");
  EXPECT_EQ(run.out.substr(0, 48), "<root>\n  <stats>\n    <timing count=\"2\" average=\"") << run.out;
  EXPECT_NE(run.out.find("<outputhash value=\"0x"), std::string::npos);
}

TEST_F(ProgramMain, RunsWithoutOpenCl) {
  put_config("Out#1", "opencl");
  const Finished run = mini("--config c.cfg --stats=json a.txt k.txt out.txt", "POLYBRICKS_OPENCL=none");
  EXPECT_EQ(run.status, 0) << run.err;
  const json stats = json::parse(run.out);
  EXPECT_EQ(stats["ran"]["Blur.Out#1|TwoPass"]["on"], "cpu");
  EXPECT_EQ(stats["fallbacks"][0]["on"], "opencl");
  EXPECT_EQ(stats["fallbacks"][0]["count"], 1);
  EXPECT_EQ(get("out.txt"), "SIZE 5\n   3    5    7    9   11 \n\n");
  EXPECT_EQ(mini("--list-devices", "POLYBRICKS_OPENCL=none").out, "no OpenCL device\n");
}

TEST_F(ProgramMain, MakesFallbacksErrorsWhenStrict) {
  put_config("Out#1", "opencl");
  const Finished run = mini("--strict --config c.cfg a.txt k.txt out.txt", "POLYBRICKS_OPENCL=none");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("mini: Blur.Out#1|TwoPass: Out#1 did not run on opencl: no device (--strict)\n"),
            std::string::npos)
      << run.err;
  EXPECT_FALSE(exists("out.txt"));
}

TEST_F(ProgramMain, ListsTheDevicesThatExistForOneThatDoesNot) {
  const Finished none = mini("--device 7 a.txt k.txt out.txt", "POLYBRICKS_OPENCL=none");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "mini: device `7`: there is no OpenCL device\n");
  EXPECT_EQ(mini("--device none a.txt k.txt out.txt").status, 0);
}

TEST_F(ProgramMain, TakesALimitOfTheDevicesMemory) {
  for (const char* good : {"1", "64K", "3M", "17179869183G"})
    EXPECT_EQ(mini(std::string("--device-memory ") + good + " a.txt k.txt out.txt").status, 0) << good;
  for (const char* bad : {"0", "K", "64k", "-1", "1.5M", "17179869184G", "64 K"}) {
    const Finished run = mini(std::string("'--device-memory=") + bad + "' a.txt k.txt out.txt");
    EXPECT_EQ(run.status, 1) << bad;
    EXPECT_EQ(run.err, std::string("mini: --device-memory=") + bad +
                           ": expected a number of bytes above 0, such as 4096, 64K, 512M or 8G\n");
  }
}

TEST_F(ProgramMain, TakesALimitOfTheDevicesTime) {
  for (const char* good : {"0.5", "1e-12", "60", "1e300"})
    EXPECT_EQ(mini(std::string("--device-limit ") + good + " a.txt k.txt out.txt").status, 0) << good;
  for (const char* bad : {"0", "-1", "x", "5s", "nan"}) {
    const Finished run = mini(std::string("'--device-limit=") + bad + "' a.txt k.txt out.txt");
    EXPECT_EQ(run.status, 1) << bad;
    EXPECT_EQ(run.err, std::string("mini: --device-limit=") + bad + ": expected a number of seconds above 0\n");
  }
}

TEST_F(ProgramMain, RunsOnADeviceWhereThereIsOne) {
  if (mini("--list-devices").out == "no OpenCL device\n") GTEST_SKIP() << "no OpenCL device";
  put_config("Out#1", "opencl");
  const Finished run = mini("--strict --config c.cfg --stats=json a.txt k.txt out.txt");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["ran"]["Blur.Out#1|TwoPass"]["on"], "opencl");
  EXPECT_EQ(get("out.txt"), "SIZE 5\n   3    5    7    9   11 \n\n");
  const Finished missing = mini("--device 7 a.txt k.txt out.txt");
  EXPECT_NE(missing.err.find("there is no such device; there are: 0 = "), std::string::npos);
  EXPECT_EQ(mini("--strict --config c.cfg --n 1000 --size K=3 --resident --trials 2").status, 0);
}

TEST(NativeLibraries, OldCoreTypesAreReplacedByWhatTheProcessorHas) {
  EXPECT_STREQ(better_core_type("Prescott", true, false), "Haswell");
  EXPECT_STREQ(better_core_type("Prescott", true, true), "SkylakeX");
  EXPECT_EQ(better_core_type("Prescott", false, false), nullptr);
  EXPECT_EQ(better_core_type("Zen", true, false), nullptr);
}

}  // namespace
}  // namespace pbrt
