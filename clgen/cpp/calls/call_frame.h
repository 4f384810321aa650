// SPDX-License-Identifier: MIT
// C++ of the frame of a call: what its tasks belong to.
#pragma once

#include "clgen/cpp/calls/call_context.h"

namespace pb {

/// Declares `pb_frame`. If the transform may call itself, `pb_call` comes first, which stops a recursion that does not
/// end.
void emit_frame(Writer& out, const CallContext& call);

}  // namespace pb
