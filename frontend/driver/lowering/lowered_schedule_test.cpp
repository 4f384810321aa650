// SPDX-License-Identifier: MIT
// Schedules of the conformance corpus under random choices at random sizes, and faults that must be found. The seed is
// printed; PB_SEED chooses another run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clgen/facts/numbering.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/testing/run_schedule.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

TEST(LoweredSchedules, OfTheCorpusRunEachChosenStepOnceAndInOrder) {
  const char* text = std::getenv("PB_SEED");
  const std::uint64_t seed = text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : 20261123;
  std::printf("PB_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PB_CORPUS))
    if (entry.path().extension() == ".pbcc") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  ScheduleRuns runs;
  for (const std::string& path : paths) {
    const auto planned = planned_file(path);
    if (!planned) continue;
    for (const TransformPlan& plan : planned->plan.transforms) {
      run_schedules(planned->program, plan, has_kernels(planned->plan), 40, 12, random, runs);
      ASSERT_EQ(runs.fault, "") << path;
    }
  }
  std::printf("%zu runs\n", runs.num_runs);
  for (const auto& [form, count] : runs.forms) std::printf("%s %d\n", form.c_str(), count);
  EXPECT_GT(runs.num_runs, 5000U);
  for (const char* form :
       {"statements", "graph in order", "graph", "frames in steps", "nest", "joint", "fused", "joint on a device"})
    EXPECT_GT(runs.forms[form], 0) << form;
}

/// The first group of that kind; none if there is none.
template <class Group>
Group* find_group(Schedule& schedule) {
  for (StepGroup& group : schedule.groups)
    if (auto* found = std::get_if<Group>(&group)) return found;
  return nullptr;
}

/// What is wrong with the schedule of `program` after `change` in some of many calls, or nothing.
std::string run_changed(const std::string& program, const std::function<void(Schedule&)>& change) {
  const auto planned = planned_text(program);
  if (!planned) return "the program has errors";
  const TransformPlan& plan = planned->only();
  Schedule schedule =
      make_schedule(planned->program, plan, find_rule_shapes(planned->program, plan, has_kernels(planned->plan)));
  change(schedule);
  std::mt19937_64 random(7);
  ScheduleRuns runs;
  run_schedule_in_calls(planned->program, plan, schedule, 200, 12, random, runs);
  return runs.fault;
}

constexpr const char* kColours =
    "main transform Colours from A[n] to B[3*n] {\n"
    "  B.cell(3*x) from (A.cell(x) a) { return a; }\n"
    "  B.cell(3*y+1) from (A.cell(y) a) { return 2 * a; }\n"
    "  B.cell(3*x+2) from (A.cell(x) a) { return 3 * a; }\n"
    "  primary B.cell(0) from () { return 1; }\n"
    "}\n";

TEST(LoweredSchedules, OfJointStepsHaveNoStepTwiceAndNoneTooFew) {
  EXPECT_EQ(run_changed(kColours, [](Schedule&) {}), "");
  EXPECT_NE(run_changed(kColours, [](Schedule& schedule) { find_group<JointGroup>(schedule)->fused.clear(); }), "");
  EXPECT_NE(run_changed(kColours, [](Schedule& schedule) { find_group<JointGroup>(schedule)->max_parts = 2; }), "");
}

constexpr const char* kChain =
    "main transform Chain from A[n] through T[n] to B[n] {\n"
    "  T.cell(x) from (A.cell(x) a) { return a + 1; }\n"
    "  B.cell(x) from (T.cell(n-1-x) t) { return 2 * t; }\n"
    "  B.cell(x) from (A.cell(n-1-x) a) { return 2 * a + 2; }\n"
    "}\n";

TEST(LoweredSchedules, OfChainsKeepTheOrderAndTheNeeds) {
  EXPECT_EQ(run_changed(kChain, [](Schedule&) {}), "");
  EXPECT_NE(
      run_changed(kChain, [](Schedule& schedule) { std::reverse(schedule.groups.begin(), schedule.groups.end()); }),
      "");
  EXPECT_NE(run_changed(kChain, [](Schedule& schedule) { schedule.groups.pop_back(); }), "");
  EXPECT_NE(run_changed(kChain, [](Schedule& schedule) { schedule.groups.push_back(schedule.groups.back()); }), "");
  EXPECT_NE(run_changed(kChain, [](Schedule& schedule) { schedule.needs.clear(); }), "");
  EXPECT_NE(run_changed(kChain,
                        [](Schedule& schedule) {
                          for (StepGroup& group : schedule.groups)
                            if (auto* lone = std::get_if<LoneStep>(&group)) lone->runs = Condition::always();
                        }),
            "");
}

}  // namespace
}  // namespace pb::testing
