// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/sched/loops/parallel_for.h"
#include "runtime/sched/loops/tile_grid.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

constexpr RuleDesc kOuter{"T.Outer", "cpu"};
constexpr RuleDesc kInner{"T.Inner", "cpu"};

void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

template <class F>
RunProfile traced(Trace& trace, int num_workers, const F& root) {
  Scheduler scheduler(num_workers, &trace);
  RunState state;
  state.is_traced = true;
  trace.begin_run("trial 1", num_workers);
  scheduler.run(state, root);
  return trace.end_run();
}

const RuleTotals& totals_of(const RunProfile& profile, const std::string& rule) {
  for (const RuleTotals& each : profile.rules)
    if (each.rule == rule) return each;
  throw std::out_of_range(rule);
}

std::vector<TraceEvent> events_of(const TraceLane& lane) {
  std::vector<TraceEvent> events;
  lane.events().for_each([&](const TraceEvent& event) { events.push_back(event); });
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  return events;
}

/// Whether no two events overlap without one lying inside the other.
bool are_nested(const std::vector<TraceEvent>& events) {
  std::vector<std::int64_t> ends;
  for (const TraceEvent& event : events) {
    while (!ends.empty() && ends.back() <= event.start_ns) ends.pop_back();
    if (!ends.empty() && event.end_ns > ends.back()) return false;
    ends.push_back(event.end_ns);
  }
  return true;
}

/// The time that all parts of a rule took together.
std::int64_t duration_of(const Trace& trace, const std::string& rule) {
  std::int64_t sum = 0;
  for (const TraceLane* lane : trace.lanes())
    for (const TraceEvent& event : events_of(*lane))
      if (event.kind == TraceKind::Rule && event.name == rule) sum += event.end_ns - event.start_ns;
  return sum;
}

TEST(Trace, CountsEveryCellOfASplitLoop) {
  Trace trace(true);
  for (const int num_workers : {1, 2, 4}) {
    const RunProfile profile = traced(trace, num_workers, [](Frame& root) {
      parallel_for<2>(
          root, {{0, 0}, {300, 200}}, 16, [](Frame&, const Box<2>&) { work_for(std::chrono::microseconds(20)); },
          &kOuter);
    });
    EXPECT_EQ(totals_of(profile, "T.Outer").cells, 60000);
    EXPECT_EQ(profile.workers.size(), static_cast<std::size_t>(num_workers));
  }
  std::int64_t cells = 0;
  for (const TraceLane* lane : trace.lanes()) {
    const std::vector<TraceEvent> events = events_of(*lane);
    EXPECT_TRUE(are_nested(events)) << lane->name();
    for (const TraceEvent& event : events)
      if (event.kind == TraceKind::Rule && !event.is_resumed) cells += event.amount;
  }
  EXPECT_EQ(cells, 3 * 60000);
}

TEST(Trace, CountsEveryTile) {
  Trace trace(true);
  const std::int64_t extent[] = {7, 5};
  const auto tile = [](Frame&, const Box<2>&) { work_for(std::chrono::microseconds(10)); };
  const RunProfile profile = traced(trace, 3, [&](Frame& root) {
    run_tiles<2>(root, {{0, 0}, {50, 40}}, extent, 3, tile, &kOuter);
  });
  EXPECT_EQ(totals_of(profile, "T.Outer").cells, 2000);
  EXPECT_EQ(totals_of(profile, "T.Outer").count, 64);
}

TEST(Trace, GivesTimeToTheInnermostRule) {
  Trace trace(true);
  const RunProfile profile = traced(trace, 1, [](Frame& root) {
    const RuleScope outer(root, kOuter, 10);
    work_for(std::chrono::milliseconds(2));
    const RuleScope inner(root, kInner, 5);
    work_for(std::chrono::milliseconds(1));
  });
  const std::int64_t inner_ns = duration_of(trace, "T.Inner");
  EXPECT_GE(inner_ns, 1'000'000);
  EXPECT_EQ(totals_of(profile, "T.Inner").time_ns, inner_ns);
  EXPECT_EQ(totals_of(profile, "T.Outer").time_ns, duration_of(trace, "T.Outer") - inner_ns);
  EXPECT_GE(profile.rules.front().time_ns, profile.rules.back().time_ns);
  EXPECT_GE(profile.workers[0].busy_ns, duration_of(trace, "T.Outer"));
}

TEST(Trace, SuspendedRulesLeaveTheirLane) {
  Trace trace(true);
  Scheduler scheduler(2, &trace);
  RunState state;
  state.is_traced = true;
  trace.begin_run("trial 1", 2);
  std::thread waker;
  std::int64_t woken_ns = 0;
  scheduler.run(state, [&](Frame& root) {
    const RuleScope outer(root, kOuter, 1);
    work_for(std::chrono::microseconds(100));
    Suspension suspension(root);
    const Waker wake = suspension.waker();
    waker = std::thread([wake, &woken_ns] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      woken_ns = trace_clock_ns();
      wake.wake();
    });
    suspension.wait();
    const RuleScope inner(root, kInner, 1);
    work_for(std::chrono::microseconds(100));
  });
  waker.join();
  const RunProfile profile = trace.end_run();
  EXPECT_EQ(totals_of(profile, "T.Outer").time_ns, duration_of(trace, "T.Outer") - duration_of(trace, "T.Inner"));
  std::vector<TraceEvent> parts;
  for (const TraceLane* lane : trace.lanes()) {
    EXPECT_TRUE(are_nested(events_of(*lane)));
    for (const TraceEvent& event : events_of(*lane))
      if (event.kind == TraceKind::Rule && event.name == kOuter.name) parts.push_back(event);
  }
  ASSERT_EQ(parts.size(), 2U);
  if (parts[0].start_ns > parts[1].start_ns) std::swap(parts[0], parts[1]);
  EXPECT_TRUE(parts[0].is_suspended && !parts[0].is_resumed);
  EXPECT_TRUE(parts[1].is_resumed && !parts[1].is_suspended);
  EXPECT_LT(parts[0].end_ns, woken_ns) << "the wait is not the rule's time";
  EXPECT_GE(parts[1].start_ns, woken_ns) << "the wait is not the rule's time";
}

void split(Frame& frame, int depth) {
  CallFrame here(frame);
  const RuleScope scope(here, kOuter, std::int64_t{1} << depth);
  if (depth == 0) return work_for(std::chrono::microseconds(5));
  here.spawn([depth](Frame& f) { split(f, depth - 1); });
  split(here, depth - 1);
  here.sync();
}

TEST(Trace, NestsRecursionThatWorkersShare) {
  Trace trace(true);
  for (int round = 0; round < 20; ++round) {
    const RunProfile profile = traced(trace, 4, [](Frame& root) { split(root, 7); });
    EXPECT_EQ(totals_of(profile, "T.Outer").count, 255);
    EXPECT_EQ(totals_of(profile, "T.Outer").cells, 8 * 128);
  }
  for (const TraceLane* lane : trace.lanes()) EXPECT_TRUE(are_nested(events_of(*lane))) << lane->name();
}

TEST(Trace, ShortRulesAreCountedAndRarelyTimed) {
  Trace trace(true);
  const RunProfile profile = traced(trace, 1, [](Frame& root) {
    for (int i = 0; i < 6400; ++i) const RuleScope scope(root, kInner, 1);
  });
  EXPECT_EQ(totals_of(profile, "T.Inner").count, 6400);
  // A scope that a busy machine makes long is followed by one more that is timed.
  EXPECT_LT(events_of(*trace.lanes()[0]).size(), 1000U);
  EXPECT_GE(events_of(*trace.lanes()[0]).size(), 100U);
}

TEST(Trace, EstimatesTheTimeOfRulesThatAreRarelyTimed) {
  Trace trace(true);
  const RunProfile profile = traced(trace, 1, [](Frame& root) {
    const RuleScope outer(root, kOuter, 1);
    for (int i = 0; i < 20'000; ++i) {
      const RuleScope inner(root, kInner, 1);
      work_for(std::chrono::microseconds(1));
    }
  });
  const RuleTotals& inner = totals_of(profile, "T.Inner");
  EXPECT_EQ(inner.count, 20'000);
  EXPECT_TRUE(inner.is_estimated());
  EXPECT_FALSE(totals_of(profile, "T.Outer").is_estimated());
  EXPECT_GT(inner.time_ns, 20'000 * 800);
  EXPECT_EQ(inner.time_ns + totals_of(profile, "T.Outer").time_ns, duration_of(trace, "T.Outer"));
}

TEST(Trace, EstimatesFromSlowFirstExecutionsDoNotExceedTheRun) {
  Trace trace(true);
  const RunProfile profile = traced(trace, 1, [](Frame& root) {
    const RuleScope outer(root, kOuter, 1);
    for (int i = 0; i < 300; ++i) {
      const RuleScope inner(root, kInner, 1);
      if (i < 3) work_for(std::chrono::microseconds(20));
    }
  });
  EXPECT_EQ(totals_of(profile, "T.Inner").time_ns + totals_of(profile, "T.Outer").time_ns,
            duration_of(trace, "T.Outer"));
}

TEST(Trace, EstimatesOfRecursionHaveTheTimeOfTheWhole) {
  Trace trace(true);
  const RunProfile profile = traced(trace, 1, [](Frame& root) { split(root, 10); });
  std::int64_t sum_ns = 0, longest_ns = 0;
  for (const RuleTotals& each : profile.rules) sum_ns += each.time_ns;
  for (const TraceEvent& event : events_of(*trace.lanes()[0]))
    if (event.kind == TraceKind::Rule) longest_ns = std::max(longest_ns, event.end_ns - event.start_ns);
  EXPECT_TRUE(profile.rules.front().is_estimated());
  EXPECT_EQ(sum_ns, longest_ns);
}

TEST(Trace, AccountsForTheWholeRunOfEveryWorker) {
  Trace trace(false);
  Scheduler scheduler(2, &trace);
  RunState state;
  state.is_traced = true;
  for (int round = 0; round < 3; ++round) {
    const std::int64_t start = trace_clock_ns();
    trace.begin_run("trial", 2);
    scheduler.run(state, [](Frame&) { work_for(std::chrono::milliseconds(20)); });
    const RunProfile profile = trace.end_run();
    const std::int64_t elapsed = trace_clock_ns() - start;
    EXPECT_GE(profile.workers[0].busy_ns, 20'000'000);
    const WorkerTimes& idle = profile.workers[1];
    EXPECT_EQ(idle.busy_ns, 0);
    EXPECT_LE(idle.idle_ns + idle.search_ns, elapsed);
    // In the first round the idle worker's thread may start late.
    if (round > 0) {
      EXPECT_GE(idle.idle_ns + idle.search_ns, 20'000'000);
    }
  }
  for (const TraceLane* lane : trace.lanes()) EXPECT_TRUE(events_of(*lane).empty()) << "only totals were wanted";
}

TEST(Trace, RunsThatAreNotTracedAreNotRecorded) {
  Trace trace(true);
  Scheduler scheduler(2, &trace);
  trace.begin_run("trial 1", 2);
  scheduler.run([](Frame& root) {
    const RuleScope scope(root, kOuter, 1);
    work_for(std::chrono::microseconds(50));
  });
  EXPECT_TRUE(trace.end_run().rules.empty());
}

TEST(Trace, StopsRecordingWhenItIsFullAndSaysHowMuchIsMissing) {
  Trace trace(true);
  TraceLane& lane = trace.lane("full");
  constexpr std::int64_t kNumEvents = 1'100'000;
  for (std::int64_t i = 0; i < kNumEvents; ++i) lane.add({TraceKind::Steal, false, false, "steal", nullptr, i, i, i});
  std::int64_t num_kept = 0;
  lane.events().for_each([&](const TraceEvent&) { ++num_kept; });
  EXPECT_GT(num_kept, 1'000'000);
  EXPECT_EQ(num_kept + lane.events().num_dropped(), kNumEvents);
}

}  // namespace
}  // namespace pbrt
