// SPDX-License-Identifier: MIT
// C++ of steps that run as one loop (FusedSteps of the Plan): at each point the values of all of them, then their
// stores, so that compilers fill whole vectors. Used by schedule_code.
#pragma once

#include <string>

#include "clgen/cpp/rules/rule_code.h"

namespace pb {

/// What the loop's functions are called after: `Refine_f0`.
[[nodiscard]] std::string fused_stem(const CppContext& context, TransformId transform, std::size_t index);

/// `loops_X` and `step_X_cpu`, which runs a box that all members have; `index` is that of the plan's FusedSteps.
void emit_fused_step(Writer& out, const CppContext& context, TransformId transform, std::size_t index);

/// The call of that function over `pb_box`.
[[nodiscard]] std::string fused_call(const CppContext& context, TransformId transform, std::size_t index,
                                     const std::string& frame);

}  // namespace pb
