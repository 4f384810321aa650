// SPDX-License-Identifier: MIT
// Calls of transforms in C++ that the body grammar does not know. Private to this folder.
#pragma once

#include "frontend/check_types/body_context.h"
#include "frontend/check_types/vocabulary/scopes.h"

namespace pb::checking {

/// Reports a call of a transform in opaque code: it would reach the C++ compiler, which knows no transforms.
void report_call_in_opaque(BodyContext& context, const Scopes& scopes, const OpaqueStmt& stmt, TokenRange tokens);

}  // namespace pb::checking
