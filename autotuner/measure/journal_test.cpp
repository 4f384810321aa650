// SPDX-License-Identifier: MIT
// Which journals a search goes on with.
#include "autotuner/measure/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "autotuner/measure/file_fingerprint.h"
#include "autotuner/testing/synthetic.h"

namespace pbtune {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() { folder = ::mkdtemp(folder.data()); }
  ~JournalTest() override { fs::remove_all(folder); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }
  static JournalHeader header() {
    return {"pbtune 1", "prog", "sha256:1", "this one", "10:a", {"5:b"}, {"--n=7"}, 1, {}, false};
  }
  /// What is said about a journal of a search with `before`, that was interrupted, when one with `now` begins.
  [[nodiscard]] std::string note_of(const JournalHeader& before, const JournalHeader& now) const {
    const std::string file = path("journal");
    fs::remove(file);
    Evaluator live;
    live.prepare = [](const PrepareSpec&) { return Prepared{}; };
    Journal journal(file, index, before);
    (void)journal.recording(live, [] { return 0.0; }).prepare({100});
    return reopened(file, now);
  }

  const pbrt::TrainingInfo info = testing::synthetic_program();
  const InfoIndex index{info};
  std::string folder = fs::temp_directory_path() / "journal_test.XXXXXX";

 private:
  [[nodiscard]] std::string reopened(const std::string& file, const JournalHeader& now) const {
    const std::string copy = file + ".copy";  // the first one is still open
    fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
    const Journal journal(copy, index, now);
    return journal.num_replayable() == 1 ? "resumed" : journal.note();
  }
};

TEST_F(JournalTest, TheSameSearchGoesOn) { EXPECT_EQ(note_of(header(), header()), "resumed"); }

TEST_F(JournalTest, AnotherBuildOrOtherInputsBeginANewSearch) {
  JournalHeader now = header();
  now.executable = "10:c";
  EXPECT_THAT(note_of(header(), now),
              HasSubstr("is one of another build of the program: the search starts anew and keeps it"));
  now = header();
  now.inputs = {"5:d"};
  EXPECT_THAT(note_of(header(), now),
              HasSubstr("is one with other contents of the input files: the search starts anew and keeps it"));
}

TEST_F(JournalTest, ASearchWithoutAMeasurementTakesNothingAway) {
  Evaluator live;
  Prepared answer;
  live.prepare = [&](const PrepareSpec&) { return answer; };
  const auto search = [&](const JournalHeader& of, PrepareStatus status) {
    answer.status = status;
    Journal journal(path("journal"), index, of);
    (void)journal.recording(live, [] { return 0.0; }).prepare({100});
    return journal.num_replayable();
  };
  JournalHeader mistyped = header();
  mistyped.arguments = {"--n=7", "--set=By=x"};
  (void)search(header(), PrepareStatus::Ready);
  for (int i = 0; i < 2; ++i) (void)search(mistyped, PrepareStatus::Failed);
  EXPECT_FALSE(fs::exists(path("journal.old")));
  EXPECT_EQ(search(header(), PrepareStatus::Ready), 1U);
  (void)search(mistyped, PrepareStatus::Ready);
  EXPECT_EQ(read_journal(path("journal.old"), index).header.arguments, header().arguments);
  const JournalContents now = read_journal(path("journal"), index);
  EXPECT_EQ(now.header.arguments, mistyped.arguments);
  EXPECT_EQ(now.entries.size(), 1U);
}

TEST_F(JournalTest, TheLargestSeedComesBack) {
  JournalHeader with_seed = header();
  with_seed.seed = UINT64_MAX;
  EXPECT_EQ(note_of(with_seed, with_seed), "resumed");
}

TEST_F(JournalTest, TimesBelowZeroEndWhatIsTrusted) {
  std::ofstream(path("j")) << R"({"journal": 1, "program": "p", "arguments": [], "known": []})"
                           << "\n{\"prepare\": 1, \"status\": 0, \"reference_ns\": 1, \"elapsed_s\": 1}\n"
                           << "{\"prepare\": 2, \"status\": 0, \"reference_ns\": 1, \"elapsed_s\": -1e300}\n";
  EXPECT_EQ(read_journal(path("j"), index).entries.size(), 1U);
}

TEST_F(JournalTest, FingerprintsTellContentsApart) {
  std::ofstream(path("a")) << "SIZE 2\n1 2\n";
  std::ofstream(path("b")) << "SIZE 2\n1 3\n";
  std::ofstream(path("c")) << std::string("\0\0", 2);
  std::ofstream(path("d")) << std::string("\0", 1);
  EXPECT_EQ(file_fingerprint(path("a")), file_fingerprint(path("a")));
  EXPECT_NE(file_fingerprint(path("a")), file_fingerprint(path("b")));
  EXPECT_NE(file_fingerprint(path("c")), file_fingerprint(path("d")));
  EXPECT_EQ(file_fingerprint(path("none")), "");
  EXPECT_EQ(file_fingerprint("/dev/zero"), "");
}

}  // namespace
}  // namespace pbtune
