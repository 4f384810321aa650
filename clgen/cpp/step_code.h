// SPDX-License-Identifier: MIT
// C++ of the steps of one transform: a function per step and version, on the CPU and as a
// launch of a kernel.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// `Convolve2D_0`; with the step's number where one rule has several steps.
[[nodiscard]] std::string step_stem(const CppContext& context, const RuleCode& code, StepId step);

/// Parameters and arguments that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<std::string> step_params(const RuleCode& code);
[[nodiscard]] std::vector<std::string> step_args(const RuleCode& code, const std::string& frame);

/// `step_X_cpu` with the loops it needs.
void emit_cpu_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step);

/// `step_X_opencl` or `step_X_opencl_local`: true if the kernel ran; counts the reason if not.
void emit_device_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step, const Kernel& kernel);

/// Whether the step's CPU function takes the split size.
[[nodiscard]] bool is_split(const Step& step);

}  // namespace pb
