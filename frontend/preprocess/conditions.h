// SPDX-License-Identifier: MIT
// Evaluates the conditions of `#if`, `#ifdef`, `#ifndef` and `#elif` for the macros of this program.
#pragma once

#include <string>
#include <vector>

#include "frontend/preprocess/macros.h"
#include "lang/diagnostics.h"
#include "lang/token.h"

namespace pb {

/// Whether the condition uses only numbers and macros that this program defines, now or before.
[[nodiscard]] bool speaks_of_known_macros(const std::vector<Token>& condition, const MacroTable& macros);

/// Whether the condition of a line holds: `line` is what follows the word `name`, at `span`. False after an error.
///
/// Errors: MalformedDirective, ConditionNotConstant
[[nodiscard]] bool condition_holds(const std::string& name, const std::vector<Token>& line, Span span,
                                   const MacroTable& macros, MacroExpander& expander, Diagnostics& diags);

}  // namespace pb
