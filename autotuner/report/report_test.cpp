// SPDX-License-Identifier: MIT
// Tests the history that a report makes of a journal, its plots, and its page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autotuner/report/html_report.h"
#include "autotuner/report/progress.h"
#include "autotuner/report/svg_plot.h"
#include "autotuner/testing/synthetic.h"

namespace pbtune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

JournalEntry prepared(std::int64_t n, double at_s) {
  JournalEntry out;
  out.is_prepare = true;
  out.n = n;
  out.prepared.status = PrepareStatus::Ready;
  out.elapsed_s = at_s;
  return out;
}

JournalEntry ran(const std::string& fingerprint, const std::string& what, double at_s, const Sample& times_ns) {
  JournalEntry out;
  out.fingerprint = fingerprint;
  out.spec.what = what;
  out.outcome.kind = times_ns.empty() ? OutcomeKind::Crashed : OutcomeKind::Ok;
  out.outcome.times_ns = times_ns;
  out.elapsed_s = at_s;
  return out;
}

JournalEntry renewed(std::int64_t n, double at_s) {
  JournalEntry out = prepared(n, at_s);
  out.is_renewal = true;
  return out;
}

JournalContents journal() {
  JournalContents out;
  out.entries = {prepared(64, 1),
                 ran("a", "the default", 2, {4e6}),
                 ran("b", "all opencl", 3, {9e6}),
                 ran("c", "change <X> & Y", 4, {1e6, 3e6}),
                 ran("c", "again", 5, {2e6}),
                 ran("d", "grows", 6, {}),
                 ran("e", "check of T", 7, {1}),
                 prepared(128, 8),
                 ran("a", "the default", 9, {8e6}),
                 ran("c", "best of before", 10, {5e6}),
                 renewed(128, 11),
                 ran("c", "best of before", 12, {2e6})};  // on other inputs: it belongs to no phase
  return out;
}

class Report : public ::testing::Test {
 protected:
  pbrt::TrainingInfo info = testing::synthetic_program();
  pbrt::InfoIndex index{info};
};

TEST_F(Report, TrialsOfAConfigurationCountTogetherPerSize) {
  const History history = history_of(journal(), index);
  ASSERT_EQ(history.phases.size(), 2U);
  const Phase& first = history.phases[0];
  ASSERT_EQ(first.tried.size(), 4U);
  EXPECT_THAT(first.tried[2].times_ns, ElementsAre(1e6, 3e6, 2e6));
  EXPECT_EQ(first.tried[2].at_s, 4);
  EXPECT_FALSE(first.tried[3].is_good());
  EXPECT_EQ(first.best()->fingerprint, "c");
  EXPECT_EQ(first.best_fixed()->fingerprint, "a");
  EXPECT_EQ(first.standard()->fingerprint, "a");
  EXPECT_EQ(first.end_s, 6);
  EXPECT_EQ(history.phases[1].best()->fingerprint, "c");
  EXPECT_THAT(history.phases[1].best()->times_ns, ElementsAre(5e6));
  EXPECT_EQ(history.num_configurations, 5);
  JournalContents finished = journal();
  finished.best = "a";
  EXPECT_EQ(history_of(finished, index).phases[1].best()->fingerprint, "a");
  EXPECT_EQ(history.outcomes.at(OutcomeKind::Crashed), 1);
}

TEST_F(Report, AxesHaveRoundNumbers) {
  EXPECT_THAT((Scale{0, 45, 0, 100, false}).ticks(8), ElementsAre(0, 10, 20, 30, 40));
  EXPECT_THAT((Scale{0.8, 12, 0, 100, true}).ticks(6), ElementsAre(1, 2, 3, 5, 10));
  EXPECT_THAT((Scale{1, 1e6, 0, 100, true}).ticks(4), ElementsAre(1, 100, 1e4, 1e6));
  EXPECT_DOUBLE_EQ((Scale{1, 100, 10, 30, true}).at(10), 20);
}

TEST_F(Report, ThePageNeedsNothingElseAndEscapesWhatItShows) {
  pbrt::ConfigFile file;
  file.program = info.program;
  pbrt::ConfigEntry entry;
  entry.machine = {"Quick & Co <1>", 2, 2, {{1, 32768}}, {{"Fake", "1"}}};
  entry.provenance.times_ns = {{"default", 3e6}, {"tuned", 1e6}};
  entry.provenance.unconfirmed = {info.main};
  entry.provenance.sizes = {64, 128};
  entry.configuration = testing::synthetic_optimum(index, 128);
  file.entries.push_back(entry);
  ReportData data;
  data.index = &index;
  data.file = &file;
  const std::string page_without_journal = html_report(data);
  EXPECT_THAT(page_without_journal, AllOf(HasSubstr("1 ms instead of 3 ms: 3.00x faster, unconfirmed"),
                                          HasSubstr("Quick &amp; Co &lt;1&gt;"), HasSubstr("There is no journal")));
  data.history = history_of(journal(), index);
  data.notes = {"a < b"};
  data.arguments = {"--tolerance=0.5"};
  const std::string page = html_report(data);
  EXPECT_EQ(page, html_report(data));
  EXPECT_THAT(page, AllOf(HasSubstr("Time over the search"), HasSubstr("Time by size"),
                          HasSubstr("Fixed choices at size 128"), HasSubstr("prefers-color-scheme: dark")));
  EXPECT_THAT(page,
              AllOf(HasSubstr("change &lt;X&gt; &amp; Y"), HasSubstr("a &lt; b"), HasSubstr("0.5, as said to pbtune")));
  for (const char* word : {"http", "src=", "href", "<script", "nan", "inf\""})
    EXPECT_THAT(page, Not(HasSubstr(word))) << word;
}

TEST_F(Report, AnEntryWrittenByHandClaimsNoTuner) {
  pbrt::ConfigFile file;
  file.entries.emplace_back();
  file.entries[0].configuration = pbrt::default_configuration(index);
  ReportData data;
  data.index = &index;
  data.file = &file;
  EXPECT_THAT(html_report(data),
              AllOf(HasSubstr("written by hand"), HasSubstr("any machine"), Not(HasSubstr("seed 0"))));
}

TEST_F(Report, ASearchInWhichNothingRanHasNoPlots) {
  pbrt::ConfigFile file;
  ReportData data;
  data.index = &index;
  data.file = &file;
  JournalContents failed;
  failed.entries = {prepared(64, 1), ran("d", "grows", 6, {})};
  data.history = history_of(failed, index);
  EXPECT_THAT(html_report(data), AllOf(HasSubstr("configurations; runs by outcome"), Not(HasSubstr("<svg"))));
}

TEST(ProgressLine, SaysTheTimeLeftFirstAndFitsATerminal) {
  SearchState state;
  state.n = 1 << 20;
  state.size_index = 12;
  state.num_sizes = 13;
  state.best_ns = 45.6e6;
  state.default_ns = 119e6;
  state.elapsed_s = 1;
  state.budget_s = 3600;
  const std::string line = progress_line(state, 2, "change a range of sizes of all sites");
  EXPECT_THAT(line, ::testing::StartsWith("3598 s left, "));
  const std::string cut = cut_to(line, 79);
  EXPECT_EQ(cut.size(), 79U);
  EXPECT_THAT(cut, AllOf(HasSubstr("2.61x faster at first sight"), ::testing::EndsWith("...")));
  EXPECT_EQ(cut_to("short", 79), "short");
}

TEST(ProgressLine, LimitsBelowASecondAreNotNone) {
  EXPECT_EQ(limit_text(285), "285 s");
  EXPECT_EQ(limit_text(0.095), "0.095 s");
  EXPECT_EQ(limit_text(-1), "0 s");
}

TEST(ProgressLine, CountsTheKernelsThatAreBuilt) {
  EXPECT_EQ(trying_text("all cpu", 0, 0), "all cpu");
  EXPECT_EQ(trying_text("all opencl", 1, 1), "all opencl, building kernel 1");
  EXPECT_EQ(trying_text("all opencl", 3, 5), "all opencl, building kernels 3 to 5");
  EXPECT_EQ(trying_text("evolving", 0, 5), "evolving (5 kernels built)");
}

}  // namespace
}  // namespace pbtune
