// SPDX-License-Identifier: MIT
// Schedules as text for people and golden tests.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "lang/program.h"

namespace pb {

/// A line per group; those of joint steps have a line per member below it.
[[nodiscard]] std::string to_text(const Program& program, const TransformPlan& plan, const Schedule& schedule);

}  // namespace pb
