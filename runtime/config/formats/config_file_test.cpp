// SPDX-License-Identifier: MIT
// Configuration files: entries per machine, bad input, atomic save; the protocol's lines.

#include "runtime/config/formats/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "runtime/config/errors.h"
#include "runtime/config/formats/former_names.h"
#include "runtime/config/formats/info_json.h"
#include "runtime/config/formats/protocol.h"
#include "runtime/config/test_program.h"

namespace pbrt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "no error";
}

class ConfigFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("pb_config_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder / name; }
  [[nodiscard]] std::string parse_error(const std::string& text) const {
    return error_of([&] { (void)parse_config_file(text, "t.cfg", index); });
  }

  std::filesystem::path folder;
  TrainingInfo info = testing::small_program();
  InfoIndex index{info};
};

Machine machine(const std::string& cpu) { return {cpu, 2, 2, {{1, 32768}}, {{"PoCL", "3.1"}}}; }

TEST_F(ConfigFileTest, NamesOfPetaBricksAreExplained) {
  const std::string former =
      "# tuned\n"
      "sequentialcutoff = 64     # int, valid range: 0 to 2147483647\n"
      "distributedcutoff = 512\n"
      "worker_threads = 8\n"
      "\n"
      "Blur_0_lvl1_rule = 0\n"
      "Blur_0_lvl2_cutoff = 300\n"
      "Conv_splitsize = 64\n"
      "Conv_unrollschedule = 1\n"
      "Conv_damp = 0.5\n"
      "Conv_i1_block__17 = 3\n"
      "Conv_gone = 3\n"
      "Other_splitsize = 64\n";
  EXPECT_EQ(
      parse_error(former),
      "t.cfg:2:1: a configuration of PetaBricks, with a `NAME = VALUE` in each line; expected JSON: `pbtune migrate` "
      "carries it over, `pbtune` finds one, `--reset` writes the default. Its names are called here:\n"
      "  sequentialcutoff: `global.sequential_cutoff`\n"
      "  distributedcutoff: nothing: a program runs on one machine\n"
      "  worker_threads: `global.threads`\n"
      "  Blur_0_lvl1_rule: `transforms.Blur.sites`: a list of {\"from\": SIZE, \"rule\": NAME, \"on\": \"cpu\"} for "
      "each choice\n"
      "  Blur_0_lvl2_cutoff: `transforms.Blur.sites`: a list of {\"from\": SIZE, \"rule\": NAME, \"on\": \"cpu\"} "
      "for each choice\n"
      "  Conv_splitsize: `transforms.Conv.tunables.split_size`\n"
      "  Conv_unrollschedule: nothing: it is decided when the program is compiled\n"
      "  Conv_damp: `transforms.Conv.tunables.damp`\n"
      "  Conv_i1_block__17: `transforms.Conv.tunables.block`\n"
      "  Conv_gone: nothing of this program\n"
      "  Other_splitsize: nothing of this program");
}

TEST_F(ConfigFileTest, NamesOfPetaBricksInJsonAreExplained) {
  const ConfigFile file = parse_config_file(
      R"({"global": {"worker_threads": 8, "distributedcutoff": 512, "seqential_cutoff": 3},
          "transforms": {"Conv": {"tunables": {"Conv_splitsize": 64}}}})",
      "t.cfg", index);
  EXPECT_THAT(
      file.warnings.lines("t.cfg"),
      ::testing::ElementsAre("t.cfg:1:31: the program has no `global.worker_threads` (that is `global.threads`), "
                             "`global.distributedcutoff` (line 1; that is nothing: a program runs on one machine), "
                             "`global.seqential_cutoff` (line 1; did you mean `sequential_cutoff`?), "
                             "`transforms.Conv.tunables.Conv_splitsize` (line 2; that is "
                             "`transforms.Conv.tunables.split_size`); ignored"));
}

TEST_F(ConfigFileTest, NamesOfInstancesOfPetaBricksAreExplained) {
  TrainingInfo templates = info;
  templates.transforms[0].name = "Blur<bin 1>";
  templates.transforms[1].name = "Conv<3,1>";
  const InfoIndex others(templates);
  EXPECT_EQ(former_name_now("Conv_tmpl_3_1_splitsize", others), "`transforms.Conv<3,1>.tunables.split_size`");
  EXPECT_THAT(former_name_now("Blur_tmpl_1_0_lvl12_cutoff", others), StartsWith("`transforms.Blur<bin 1>.sites`"));
  EXPECT_EQ(former_name_now("Blur_tmpl_0_0_lvl12_cutoff", others), "");
}

TEST_F(ConfigFileTest, EntriesOfOtherMachinesAreKeptByteForByte) {
  ConfigFile file{"blur", "sha256:0123", {}, {}, {}};
  put_entry(file, {machine("A"), {}, random_configuration(index, 1, {}), ""});
  put_entry(file, {machine("B"), {}, random_configuration(index, 2, {}), ""});
  std::string text = to_json(index, file);
  text.replace(text.find("\"when\""), 6, "\"future\": {\"x\": 1}, \"when\"");
  ConfigFile again = parse_config_file(text, "t.cfg", index);
  ASSERT_THAT(again.entries, SizeIs(2));
  EXPECT_EQ(again.entries[0].configuration, file.entries[0].configuration);
  const std::string raw = again.entries[0].raw;
  put_entry(again, {machine("B"), {}, random_configuration(index, 3, {}), ""});
  const ConfigFile third = parse_config_file(to_json(index, again), "t.cfg", index);
  ASSERT_THAT(third.entries, SizeIs(2));
  EXPECT_EQ(third.entries[0].raw, raw);
  EXPECT_THAT(raw, HasSubstr("future"));
  EXPECT_EQ(third.entries[1].configuration, random_configuration(index, 3, {}));
}

TEST_F(ConfigFileTest, TheNearestEntryIsChosenWithANote) {
  ConfigFile file{"blur", "sha256:0123", {}, {}, {}};
  EXPECT_EQ(choose_entry(file, machine("A")).entry, nullptr);
  put_entry(file, {machine("A"), {}, default_configuration(index), ""});
  put_entry(file, {machine("B"), {}, default_configuration(index), ""});
  EXPECT_EQ(choose_entry(file, machine("B")).entry, &file.entries[1]);
  EXPECT_THAT(choose_entry(file, machine("B")).note, IsEmpty());
  Machine bigger = machine("B");
  bigger.cpus = 16;
  EXPECT_EQ(choose_entry(file, bigger).entry, &file.entries[1]);
  EXPECT_THAT(choose_entry(file, bigger).note, HasSubstr("B (2 CPUs), PoCL"));
  file.entries = {ConfigEntry{}};
  EXPECT_EQ(choose_entry(file, machine("A")).entry, &file.entries[0]);
  EXPECT_THAT(choose_entry(file, machine("A")).note, IsEmpty()) << "written by hand, for no machine in particular";
}

TEST_F(ConfigFileTest, AnotherProgramsFileIsAnError) {
  EXPECT_THAT(parse_error("{\"format\": 1,\n \"program\": \"sort\", \"entries\": []}"),
              AllOf(StartsWith("t.cfg:2:13: "), HasSubstr("`sort`"), HasSubstr("`blur`")));
}

TEST_F(ConfigFileTest, ANewerFormatIsAnErrorThatNamesBoth) {
  EXPECT_EQ(parse_error(R"({"format": 7, "program": "blur", "entries": []})"),
            "t.cfg:1:12: format 7 is newer than the newest that this program reads, 2");
}

TEST_F(ConfigFileTest, AnotherSourceIsOnlyANote) {
  const ConfigFile file =
      parse_config_file(R"({"format": 1, "program": "blur", "source": "sha256:9", "entries": [{}]})", "t.cfg", index);
  EXPECT_THAT(file.notes, SizeIs(1));
  EXPECT_EQ(file.entries.at(0).configuration, default_configuration(index));
}

TEST_F(ConfigFileTest, BrokenTextIsNamedWithItsPlace) {
  EXPECT_THAT(parse_error("{\n  \"format\": 1,,\n"), StartsWith("t.cfg:2:15: "));
  EXPECT_EQ(parse_error(" \n"), "t.cfg:1:1: the text is empty");
  EXPECT_THAT(parse_error("{\"format\": 1,\n \"seed\": 1e999}"), StartsWith("t.cfg:2:10: number overflow"));
  EXPECT_THAT(parse_error("[1, 2"), StartsWith("t.cfg:1:"));
  EXPECT_THAT(parse_error("{\"format\": 1, \"entries\": [], \"program\": \"\xff\"}"), StartsWith("t.cfg:1:"));
  EXPECT_THAT(parse_error("{\"a\": 1}"), HasSubstr("this is no configuration"));
  EXPECT_EQ(parse_error(R"({"format": 1, "program": "blur"})"),
            "t.cfg:1:1: this is no configuration: `entries` is missing");
  EXPECT_EQ(parse_error(R"({"program": "blur", "entries": []})"),
            "t.cfg:1:1: this is no configuration: `format` is missing");
  EXPECT_EQ(parse_error("transform Blur\nfrom A[n]\n"), "t.cfg: this is no configuration, which is an object of JSON");
  EXPECT_THAT(parse_error(to_json(info)), HasSubstr("this is the training information of a program"));
  EXPECT_EQ(
      parse_error(
          "{\"format\": 1, \"program\": \"blur\",\n\"entries\": [{}, {\"transforms\": {\"Conv\": {\"sites\": 3}}}]}"),
      "t.cfg:2:51: expected an object, found a number");
}

TEST_F(ConfigFileTest, DeepNestingIsRejectedBeforeParsing) {
  const std::string text = "{\"a\":\n" + std::string(15 << 20, '[');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_error(text), "t.cfg:2:64: nested deeper than 64 levels");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_THAT(parse_error("\"" + std::string(1000, '[') + "\""), HasSubstr("expected an object"));
}

TEST_F(ConfigFileTest, HugeFilesAreRejectedUnread) {
  const std::string huge = path("huge.cfg");
  std::ofstream(huge) << "[";
  ASSERT_EQ(::truncate(huge.c_str(), off_t{1} << 33), 0);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(error_of([&] { (void)read_config_file(huge, index); }), HasSubstr("larger than 16 MiB"));
  EXPECT_THAT(error_of([&] { (void)read_config_file("/dev/zero", index); }), HasSubstr("larger than 16 MiB"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST_F(ConfigFileTest, UnreadableFilesNameTheReason) {
  EXPECT_EQ(error_of([&] { (void)read_config_file(path("none"), index); }),
            "cannot read `" + path("none") + "`: No such file or directory");
  EXPECT_THAT(error_of([&] { (void)read_config_file(folder, index); }), HasSubstr("directory"));
}

TEST_F(ConfigFileTest, SavingReplacesTheFileBehindALinkAndKeepsItsMode) {
  const std::string real = path("real.cfg"), link = path("link.cfg");
  std::ofstream(real) << "old";
  ASSERT_EQ(::chmod(real.c_str(), 0640), 0);
  std::filesystem::create_symlink(real, link);
  save_config_file(link, index, {"blur", "sha256:0123", {}, {}, {}});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_THAT(read_config_file(real, index).entries, IsEmpty());
  struct stat status {};
  ASSERT_EQ(::stat(real.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(ConfigFiles, SayWhatLostOnADevice) {
  const TrainingInfo info = testing::small_program();
  const InfoIndex index(info);
  ConfigEntry entry;
  entry.configuration = default_configuration(index);
  entry.provenance.device_losses = {{{"Conv.Out#1", "Conv.In#1"}, 8e6, 2e6, 9e6, {3, 64, 32, 1e6, 2e6, 3e6, 4e5}},
                                    {{"Conv.Out#1"}, 5e6, 2e6, 0, {}}};
  ConfigFile file{info.program, info.source, {}, {}, {}};
  put_entry(file, entry);
  const ConfigFile read = parse_config_file(to_json(index, file), "x.cfg", index);
  ASSERT_EQ(read.entries.size(), 1U);
  EXPECT_EQ(read.entries[0].provenance.device_losses, entry.provenance.device_losses);
}

TEST(Protocol, LinesSurviveTheRoundTrip) {
  using namespace protocol;
  Request run;
  run.id = 5;
  run.op = Op::Run;
  run.config = R"({"global":{"threads":2}})";
  run.trials = 3;
  run.limit_ms = 12.5;
  run.is_resident = true;
  run.tolerance = 1e-6;
  const Request run2 = parse_request(to_line(run));
  EXPECT_EQ(to_line(run2), to_line(run));
  EXPECT_EQ(run2.config, run.config);

  Request inputs;
  inputs.op = Op::Inputs;
  inputs.n = 512;
  inputs.sizes = {{"K", 7}};
  inputs.given = {{"By", "nan"}, {"k", "-3"}};
  inputs.files = {"a\nb.npy"};
  inputs.seed = 3;
  EXPECT_EQ(to_line(parse_request(to_line(inputs))), to_line(inputs));
  EXPECT_EQ(to_line(inputs).find('\n'), std::string::npos);
  inputs.seed = UINT64_MAX;
  EXPECT_EQ(parse_request(to_line(inputs)).seed, UINT64_MAX);
  EXPECT_EQ(parse_request(to_line(inputs)).given, inputs.given);
  EXPECT_EQ(parse_request(R"({"id": 1, "op": "inputs", "set": {"k": 3}})").given[0].second, "3");

  Reply reply;
  reply.status = Status::Wrong;
  reply.times_ns = {1e6, 2.5e6};
  reply.max_error_abs = std::numeric_limits<double>::quiet_NaN();
  reply.ran = {{"Conv.Out#1", "Out#1", Version::OpenCl, 4},
               {"Conv.Out#1", "Out#1", Version::Cpu, 2},
               {"Blur.X", "TwoPass", Version::Cpu, 1}};
  reply.fallbacks = {{"Conv.Out#1", "Out#1", Version::OpenClLocal, "tile too large", 2}};
  reply.message = "differs";
  reply.device_costs = DeviceCosts{40, 64, 32, 1.5e6, 1e3, 2e3, 5e5};
  const Reply reply2 = parse_reply(to_line(reply));
  EXPECT_EQ(to_line(reply2), to_line(reply));
  EXPECT_EQ(reply2.ran.size(), 3U);
  EXPECT_EQ(reply2.device_costs, reply.device_costs);
  EXPECT_FALSE(parse_reply(to_line(Reply{})).device_costs) << "no device took part, or it was not profiled";
  EXPECT_GE(reply2.max_error_abs, 1e300);

  Hello hello{1, "blur", "sha256:1", {{"PoCL", "3"}}, "PoCL"};
  EXPECT_EQ(to_line(parse_hello(to_line(hello))), to_line(hello));
  EXPECT_FALSE(parse_hello(to_line(hello)).is_debug);
  hello.is_debug = true;
  EXPECT_TRUE(parse_hello(to_line(hello)).is_debug);
}

TEST(Protocol, BrokenLinesAreErrors) {
  for (const char* line :
       {"", "{}", "[]", "{\"id\": 1}", "{\"id\": 1, \"op\": \"dance\"}", "{\"id\": -1, \"op\": \"quit\"}",
        "{\"id\": 1, \"op\": \"run\", \"config\": 3}", "{\"id\": 1, \"op\": \"run\", \"trials\": 0}",
        "{\"id\": 1, \"op\": \"inputs\", \"seed\": -1}"})
    EXPECT_THROW((void)protocol::parse_request(line), ConfigError) << line;
}

}  // namespace
}  // namespace pbrt
