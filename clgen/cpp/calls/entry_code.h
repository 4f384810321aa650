// SPDX-License-Identifier: MIT
// C++ of the functions through which a transform is called: `call_T`, `spawn_T` and `memo_T`.
#pragma once

#include "clgen/cpp/calls/call_context.h"

namespace pb {

/// Declares `call_T` and `spawn_T`, because bodies may call transforms in any order.
void emit_call_declarations(Writer& out, const CppContext& context, TransformId transform);

/// Prints the functions; `run_T` stands before them.
void emit_entries(Writer& out, const CallContext& call);

}  // namespace pb
