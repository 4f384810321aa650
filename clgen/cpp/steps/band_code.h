// SPDX-License-Identifier: MIT
// C++ of steps that run in bands of rows on the CPU, with the steps that make what they alone read
// (LoweredTransform::bands, runtime/steps/row_bands.h).
#pragma once

#include <string>

#include "clgen/cpp/context/band_flags.h"
#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/lower/lower.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns the name of the closure that runs the step in bands, in a frame.
[[nodiscard]] std::string bands_closure_name(StepId reader);

/// Declares the flags of all bands of the transform. They stand before its temporaries.
void emit_bands_flags(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch);
/// Declares the closures that run the bands. They stand before all steps.
void emit_bands(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch);

}  // namespace pb
