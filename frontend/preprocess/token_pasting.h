// SPDX-License-Identifier: MIT
// What the operators `##` and `#` of macros make of tokens, as in C.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/token.h"

namespace pb {

/// Returns the token that the texts of both make together, as `x ## 1` makes `x1`; none if they make no name, number or
/// operator. It stands where `left` does.
[[nodiscard]] std::optional<Token> pasted(const Token& left, const Token& right);

/// Returns the literal that holds the text of the tokens: blanks between them are one blank, and quotation marks of
/// literals among them keep their meaning.
[[nodiscard]] std::string text_as_literal(const std::vector<Token>& tokens);

}  // namespace pb
