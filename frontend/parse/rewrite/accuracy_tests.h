// SPDX-License-Identifier: MIT
// `verify_accuracy` in bodies (docs/reference/language.md 4.7): it stands for a call of the transform's metric and a
// comparison with the target. Private to this folder.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/diagnostics.h"
#include "lang/token.h"

namespace pb {

/// Returns the tokens of a body with what `verify_accuracy` stands for. `rule`: null for bodies of functions, which
/// know matrices by their own names. Something of the program that is called so keeps its meaning: one of `names`,
/// which are those of the rule and of blocks of C++, or what the header or the body declares.
///
/// Errors: AccuracyTest where the header has no metric or no bins, or the rule does not bind a matrix as a whole
[[nodiscard]] std::vector<Token> with_accuracy_tests(const ast::Transform& transform, const ast::Rule* rule,
                                                     std::span<const Token> body, const std::set<std::string>& names,
                                                     Diagnostics& diags);

}  // namespace pb
