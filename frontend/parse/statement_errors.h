// SPDX-License-Identifier: MIT
// Reports statements that the grammar could not read.
#pragma once

#include "lang/body/body.h"
#include "lang/diagnostics.h"

namespace pb {

/// Reports a statement that is an error in C++, too: one without its `;`, or one that begins with a word of the
/// language but does not go on like such a statement. Other statements are not reported, since the C++ compiler knows
/// more than the grammar.
///
/// Pre:     `tokens` are those of the statement, which could be read up to the token `at`; the brackets of `body` match
/// Errors:  SyntaxError
void report_unread_statement(const Body& body, TokenRange tokens, std::size_t at, Diagnostics& diags);

}  // namespace pb
