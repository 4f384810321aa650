// SPDX-License-Identifier: MIT
// Schedules as text for people and golden tests.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "lang/program.h"

namespace pb {

/// Returns a line per group. A group of joint steps has a line per member below its own.
[[nodiscard]] std::string to_text(const Program& program, const TransformPlan& plan, const Schedule& schedule);

}  // namespace pb
