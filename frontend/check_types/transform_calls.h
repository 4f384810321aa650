// SPDX-License-Identifier: MIT
// Calls of transforms from bodies (docs/reference/language.md 7.4): outputs first, then inputs, each of the dimensions
// that the header declares; read-only regions cannot be outputs. Private to this folder.
#pragma once

#include <optional>

#include "frontend/check_types/body_context.h"

namespace pb::checking {

/// The transforms that a call may mean, and its arguments in their order; nothing after an error.
///
/// Pre: its arguments were checked
[[nodiscard]] std::optional<TransformCall> resolve_call(BodyContext& context, StmtId id, const TransformCallStmt& call);

}  // namespace pb::checking
