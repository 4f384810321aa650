// SPDX-License-Identifier: MIT
// From ANTLR's tree of a body to lang/body/body.h.
#pragma once

#include <span>

#include "frontend/parse/token_source.h"
#include "lang/body/body.h"
#include "lang/diagnostics.h"
#include "lang/token.h"

namespace pb {

/// Parses the tokens between a body's braces. `is_balanced`: its brackets match.
///
/// Errors: NestingTooDeep on `diags`, the body is then one opaque statement; code that the grammar does not know is no
/// error but an opaque node
[[nodiscard]] Body build_body(std::span<const Token> tokens, Span braces, bool is_balanced, const KnownNames& names,
                              Diagnostics& diags);

}  // namespace pb
