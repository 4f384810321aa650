// SPDX-License-Identifier: MIT
// Follows the schedule of a transform through calls. Not part of the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/testing/condition_value.h"
#include "lang/program.h"

namespace pb::testing {

/// Returns what is wrong with the schedule in a call of these sizes and choices, or an empty text. These are faults: a
/// step that must run and does not, or runs twice; a step that runs against its choices or guards, or whose results no
/// step needs, unless a nest runs it; a step that runs before one that it waits for; a condition that names a flag that
/// is not declared yet; more joint boxes than there is room for; a step on a device that has no device version.
[[nodiscard]] std::string run_schedule(const Program& program, const TransformPlan& plan, const Schedule& schedule,
                                       CallState call);

struct ScheduleRuns {
  std::map<std::string, int> forms;  ///< how often each form of schedules and groups occurred
  std::size_t num_runs = 0;
  std::string fault;  ///< what is wrong, or nothing
};

/// Follows `schedule` through `count` calls of random choices, of sizes from 0 to before `max_size`. Stops at the first
/// fault.
void run_schedule_in_calls(const Program& program, const TransformPlan& plan, const Schedule& schedule, int count,
                           std::int64_t max_size, std::mt19937_64& random, ScheduleRuns& runs);
/// Makes the schedule of a transform, counts its forms, and follows it through `count` random calls.
void run_schedules(const Program& program, const TransformPlan& plan, bool has_kernels, int count,
                   std::int64_t max_size, std::mt19937_64& random, ScheduleRuns& runs);

}  // namespace pb::testing
