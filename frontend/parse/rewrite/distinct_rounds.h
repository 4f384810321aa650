// SPDX-License-Identifier: MIT
// `distinct` rules whose instances share an output (docs/reference/language.md 5.12): they become a rule with one
// instance, whose loop has a round for each of them. What later stages know of loops that store at distinct places then
// holds for them.
#pragma once

#include <span>
#include <vector>

#include "lang/ast.h"
#include "lang/diagnostics.h"
#include "lang/token.h"

namespace pb {

/// Returns the tokens of the body, as `body` has them or within loops over the rule's variables. In loops, regions of
/// single cells with variables become whole matrices in the header, and the body says which cells of them it means.
///
/// Errors: DistinctRounds if such a rule has parts that a loop cannot have
[[nodiscard]] std::vector<Token> with_distinct_rounds(const ast::Transform& transform, ast::Rule& rule,
                                                      std::span<const Token> body, Diagnostics& diags);

}  // namespace pb
