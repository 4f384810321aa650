// SPDX-License-Identifier: MIT
// C++ of the launches whose work-groups compute temporaries, too (clgen/lower/launches/tile_launch.h).
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/lower/launches/tile_launch.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns the flag of a call: whether the launch is to be tried. If it is, the steps that make temporaries do not run
/// in their places.
[[nodiscard]] std::string tile_flag_name(const TileLaunch& launch);

/// Returns the launches in whose place the step may run: it is their reader, or makes something for them.
[[nodiscard]] std::vector<const TileLaunch*> tile_launches_of(const LoweredTransform& lowered, StepId step);

/// Prints statements that run the step in its place, in the chosen version, or with what it alone reads, as
/// StepDispatch::emit_dispatch does without its boxes. If such a launch does not work, what makes the temporaries runs
/// first. Where another step's launch or bands do its work, it does not run.
void emit_step(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch, StepId step,
               const std::string& frame);

/// Declares the flags and closures of all launches of the transform. They stand before all steps.
void emit_tile_launches(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch);

}  // namespace pb
