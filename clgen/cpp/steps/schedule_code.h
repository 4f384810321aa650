// SPDX-License-Identifier: MIT
// C++ of the schedule of one transform: statements, or a graph of nodes, that run its groups under the choices of a
// call, on the CPU or a device.
#pragma once

#include <functional>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/lower/schedule/step_schedule.h"

namespace pb {

/// Declares `pb_frame`.
using EmitFrame = std::function<void(Writer& out)>;

/// Prints the statements of `run_T` that run all steps. Choices, sizes and matrices of the call are in scope.
/// `emit_before` prints what comes before the steps: temporaries and checks. `emit_frame` is for steps that make their
/// own frames; null if no step does.
void emit_schedule(Writer& out, const CppContext& context, TransformId transform, const Schedule& schedule,
                   const StepFunctionNames& functions, const std::function<void(const StepDispatch&)>& emit_before,
                   const EmitFrame& emit_frame);

}  // namespace pb
