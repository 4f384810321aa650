// SPDX-License-Identifier: MIT
// What the passes that look for launches of several steps ask of a step.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/formula.h"
#include "lang/program.h"

namespace pb {

/// Whether some alternative runs the step in the version.
[[nodiscard]] bool may_run_in(const TransformPlan& plan, const Step& step, Version version);
/// Whether some alternative runs the step in the basic version of a device.
[[nodiscard]] bool has_basic_version(const TransformPlan& plan, const Step& step);

/// Whether step `a` has less to do than `b`: fewer of its loops grow with the sizes, or as many, but the others are
/// shorter, or these are alike, and its rule reads less. Of the steps of a launch, that which has most to do says its
/// shape: a border is thin, whatever it reads.
[[nodiscard]] bool has_less_to_do(const Transform& transform, const Step& a, const Step& b);

/// Whether the coordinate is a rule variable by itself.
[[nodiscard]] bool is_variable(const Formula& at, const std::string& var);

}  // namespace pb
