// SPDX-License-Identifier: MIT
// C++ of the schedule of one transform: which steps and nests run under the choices of a call, in which
// order, on the CPU or a device.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "clgen/cpp/dispatch_code.h"
#include "clgen/cpp/rule_code.h"
#include "clgen/cpp/schedule_units.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// Rules, steps and the loops of nests as functions.
[[nodiscard]] StepFunctionNames emit_schedule_functions(Writer& out, const CppContext& context, TransformId transform,
                                                        const Schedule& schedule, const std::vector<Kernel>& kernels);

/// Declares `pb_frame`.
using EmitFrame = std::function<void(Writer& out)>;

/// The statements of `run_T` that run all steps; choices, sizes and matrices of the call are in scope. `emit_before`
/// writes those that come before: temporaries, checks. `emit_frame` is for the steps that make their frames, else null.
void emit_schedule(Writer& out, const CppContext& context, TransformId transform, const Schedule& schedule,
                   const StepFunctionNames& functions, const std::function<void(const StepDispatch&)>& emit_before,
                   const EmitFrame& emit_frame);

}  // namespace pb
