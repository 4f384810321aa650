// SPDX-License-Identifier: MIT
// C++ of the choices of a call.
#pragma once

#include "clgen/cpp/calls/call_context.h"

namespace pb {

/// Declares the choice of each site that is a decision, and the schedule of each that has some. The size variables,
/// `pb_n` and `pb_context` are in scope.
void emit_choices(Writer& out, const CallContext& call);

}  // namespace pb
