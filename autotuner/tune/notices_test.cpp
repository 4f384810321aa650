// SPDX-License-Identifier: MIT
// What is said of a search, where, and how often.
#include "autotuner/tune/notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autotuner/testing/bins_world.h"

namespace pbtune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct NoticesTest : ::testing::Test {
  testing::BinsWorld world;
  std::vector<std::string> said, kept;
  std::vector<bool> importance;
  Notices notices{world.index,
                  17,
                  {[this](const std::string& text, bool is_important) {
                     said.push_back(text);
                     importance.push_back(is_important);
                   },
                   [this](const std::string& text) { kept.push_back(text); }}};

  [[nodiscard]] Candidate candidate() const {
    Candidate out;
    out.configuration = world.standard();
    out.origin = "all opencl";
    return out;
  }
};

TEST_F(NoticesTest, WarningsReachThoseWhoWantQuiet) {
  notices.note("a");
  notices.warn("b");
  EXPECT_THAT(said, ElementsAre("note: a", "warning: b"));
  EXPECT_THAT(importance, ElementsAre(false, true));
  EXPECT_THAT(kept, ElementsAre("a", "b"));
}

TEST_F(NoticesTest, InputsAreSpokenOfOnceAndOnlyIfTheyAreReady) {
  notices.note_prepared({PrepareStatus::Failed, 0, "no memory"});
  notices.note_prepared({PrepareStatus::Ready, 0, ""});
  EXPECT_THAT(said, IsEmpty());
  for (int i = 0; i < 2; ++i) notices.note_prepared({PrepareStatus::Ready, 0, "two runs differ"});
  EXPECT_THAT(kept, ElementsAre("two runs differ"));
}

TEST_F(NoticesTest, LoadIsNotedOnceAndIfItIsMuch) {
  notices.note_load(0.4e9, 0.4e9);
  notices.note_load(1e9, 0.05e9);
  EXPECT_THAT(said, IsEmpty()) << "too short, too little";
  for (int i = 0; i < 2; ++i) notices.note_load(1e9, 0.25e9);
  EXPECT_THAT(kept, ElementsAre(HasSubstr("runs wait 25 % of their time")));
}

TEST_F(NoticesTest, TroubleWithTheJournalIsSaidOnceAndNotKeptInIt) {
  notices.note_trouble("");
  for (int i = 0; i < 2; ++i) notices.note_trouble("cannot write the journal");
  EXPECT_THAT(said, ElementsAre(HasSubstr("warning: cannot write the journal; the search goes on")));
  EXPECT_THAT(kept, IsEmpty());
}

TEST_F(NoticesTest, WrongConfigurationsAreNamedAndFastOnesCounted) {
  Outcome outcome;
  outcome.kind = OutcomeKind::Wrong;
  outcome.max_error_rel = 0.25;
  notices.note_failed(candidate(), outcome, false);
  outcome.message = "C.cell(2) is 1, the reference is 1.25";
  notices.note_failed(candidate(), outcome, true);
  EXPECT_EQ(notices.num_wrong_but_fast(), 1);
  const std::string name = fingerprint(world.index, world.standard()) + " (all opencl) ";
  EXPECT_THAT(
      kept, ElementsAre(name + "gives wrong outputs, relative error 0.25: rejected (seed 17)",
                        name + "is fast and gives wrong outputs, relative error 0.25 (C.cell(2) is 1, the reference is "
                               "1.25): rejected (seed 17)"));
}

TEST_F(NoticesTest, OtherFailuresThanWrongOutputsAndCrashesGoUnsaid) {
  Outcome outcome;
  outcome.kind = OutcomeKind::TimedOut;
  notices.note_failed(candidate(), outcome, false);
  EXPECT_THAT(said, IsEmpty());
  outcome.kind = OutcomeKind::Crashed;
  outcome.message = "signal 11";
  notices.note_failed(candidate(), outcome, false);
  EXPECT_THAT(said, ElementsAre(HasSubstr("(all opencl) crashes: signal 11")));
}

}  // namespace
}  // namespace pbtune
