// SPDX-License-Identifier: MIT
// C++ of the matrices of a call before its steps run: storage of temporaries, cells that no rule computes, and outputs
// that come home from a device.
#pragma once

#include "clgen/cpp/calls/call_context.h"
#include "clgen/lower/schedule/step_conditions.h"

namespace pb {

/// Declares the temporaries. Those that no step will touch have no storage.
void emit_temporaries(Writer& out, const CallContext& call, const StepConditions& conditions);

/// Prints checks that stop the call at cells that no rule computes. Without `conditions` these are cells of outputs;
/// with them, cells of temporaries that a step may read that runs.
void emit_uncovered(Writer& out, const CallContext& call, const StepConditions* conditions);

/// Prints statements that say of which outputs launches need no old values, although they write only some of the cells:
/// parts of a scattered matrix that steps make anew, one after the other.
void emit_void_outputs(Writer& out, const CallContext& call, const StepConditions& conditions);

}  // namespace pb
