// SPDX-License-Identifier: MIT
// From tokens to the Ast, with the grammar lang/Pbcc.g4. The only user of ANTLR.
#pragma once

#include "lang/ast.h"
#include "lang/diagnostics.h"
#include "lang/source.h"
#include "lang/token.h"

namespace pb {

/// Parses a whole program. After a syntax error it goes on at the next clause, rule or transform. C++ that the body
/// grammar does not know becomes an opaque statement or expression with its reason; calls of the program's transforms
/// are found wherever they stand as statements.
///
/// Errors: syntax errors on `diags`; what had one is left out of the result
[[nodiscard]] Ast parse(const TokenStream& tokens, const SourceManager& sources, Diagnostics& diags);

}  // namespace pb
