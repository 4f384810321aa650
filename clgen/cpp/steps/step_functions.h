// SPDX-License-Identifier: MIT
// C++ functions of all that the schedule of a transform runs: rules, steps in their versions, the loops of nests and of
// fused steps.
#pragma once

#include <vector>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/opencl/kernel.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the functions, and returns the names of the step functions. `kernels` has the kernels of the whole program.
[[nodiscard]] StepFunctionNames emit_step_functions(Writer& out, const CppContext& context, TransformId transform,
                                                    const Schedule& schedule, const std::vector<Kernel>& kernels);

}  // namespace pb
