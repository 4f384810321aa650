// SPDX-License-Identifier: MIT
// C++ of steps that run in bands of rows on the CPU, with the steps that make what they alone read
// (LoweredTransform::bands, runtime/matrix/blocks/bands.h).
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/lower/lower.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns the flags of a call under which the steps of some bands alone have the matrix, so that it needs no memory.
[[nodiscard]] std::vector<std::string> flags_without(const LoweredTransform& lowered, MatrixId matrix);
/// Returns the flags of a call under which the step runs in bands of another one.
[[nodiscard]] std::vector<std::string> flags_of_readers(const LoweredTransform& lowered, StepId step);
/// Whether the step may run in bands, its own or another one's.
[[nodiscard]] bool may_run_in_bands(const LoweredTransform& lowered, StepId step);
/// Whether the step may run in bands, with what it alone reads.
[[nodiscard]] bool has_bands(const LoweredTransform& lowered, StepId step);

/// Returns the name of the closure that runs the step in bands, in a frame.
[[nodiscard]] std::string bands_closure_name(StepId reader);

/// Declares the flags of all bands of the transform. They stand before its temporaries.
void emit_bands_flags(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch);
/// Declares the closures that run the bands. They stand before all steps.
void emit_bands(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch);

}  // namespace pb
