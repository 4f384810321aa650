// SPDX-License-Identifier: MIT
// What the passes that look for launches of several steps ask of a step.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/formula.h"

namespace pb {

/// Whether some alternative runs the step in the version.
[[nodiscard]] bool may_run_in(const TransformPlan& plan, const Step& step, Version version);
/// Whether some alternative runs the step in the basic version of a device.
[[nodiscard]] bool has_basic_version(const TransformPlan& plan, const Step& step);

/// Whether the coordinate is a rule variable by itself.
[[nodiscard]] bool is_variable(const Formula& at, const std::string& var);

}  // namespace pb
