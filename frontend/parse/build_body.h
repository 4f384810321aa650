// SPDX-License-Identifier: MIT
// From ANTLR's tree of a body to lang/body/body.h.
#pragma once

#include <set>
#include <span>
#include <string>

#include "lang/body/body.h"
#include "lang/diagnostics.h"
#include "lang/token.h"

namespace pb {

/// Parses the tokens between a body's braces. `is_balanced`: its brackets match.
///
/// Errors: NestingTooDeep on `diags`, the body is then one opaque statement; code that the grammar does not know is no
/// error but an opaque node
[[nodiscard]] Body build_body(std::span<const Token> tokens, Span braces, bool is_balanced,
                              const std::set<std::string>& transform_names, Diagnostics& diags);

}  // namespace pb
