// SPDX-License-Identifier: MIT
// Tokens after preprocessing: what the parser reads. Made by frontend/preprocess.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/span.h"

namespace pb {

enum class TokenKind : std::uint8_t {
  Name,  ///< identifiers and every keyword
  Integer,
  Float,
  Char,
  String,
  Punctuator,
  NativeBegin,  ///< `%{`
  NativeEnd,    ///< `%}`
  NativeLine,   ///< a whole preprocessor line of a `%{ %}` block, which C++ gets to see
};

/// A token. The text of a range of tokens is the concatenation of their `leading` and `text`.
struct Token {
  TokenKind kind = TokenKind::Punctuator;
  std::string text;
  std::string leading;  ///< white space before it; comments and preprocessor lines as blanks and newlines
  Span spelling;        ///< where the characters stand (in a macro definition, if they come from one)
  Span expansion;       ///< the macro's use in the file; same as spelling otherwise
};

struct TokenStream {
  std::vector<Token> tokens;
  FileId main_file = kNoFile;
  Span end;  ///< empty span behind the last token of the main file
};

}  // namespace pb
