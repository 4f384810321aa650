// SPDX-License-Identifier: MIT
// Syntax errors of headers in words of the language.
#pragma once

#include "frontend/parse/antlr_unit.h"
#include "lang/diagnostics.h"

namespace pb {

/// Reports the errors of a header or rule header. `end`: the span of what follows the unit, `end_text` its text.
void report_errors(const Unit& unit, Span end, std::string_view end_text, Diagnostics& diags);

}  // namespace pb
