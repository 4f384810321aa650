// SPDX-License-Identifier: MIT
// C++ of steps that run as one loop (FusedSteps of the Plan): at each point the values of all of them, then their
// stores, so that compilers fill whole vectors. Used by schedule_code.
#pragma once

#include <string>

#include "clgen/cpp/rules/rule_code.h"

namespace pb {

/// Returns the stem of the names of the loop's functions: `Refine_f0`.
[[nodiscard]] std::string fused_stem(const CppContext& context, TransformId transform, std::size_t index);

/// Prints `loops_X` and `step_X_cpu`, which runs a box that all members have. `index` is the number of the steps in the
/// plan's FusedSteps.
void emit_fused_step(Writer& out, const CppContext& context, TransformId transform, std::size_t index);

/// Returns a call of the `step_X_cpu` that `emit_fused_step` prints, for the box `pb_box`.
[[nodiscard]] std::string fused_call(const CppContext& context, TransformId transform, std::size_t index,
                                     const std::string& frame);

}  // namespace pb
