// SPDX-License-Identifier: MIT
// Questions about the tokens of a program: what stands at one, and where headers and rules begin. Looks no further than
// a few tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lang/token.h"

namespace pb {

/// Half-open range of indices into TokenStream::tokens.
struct TokenSlice {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] bool empty() const { return begin == end; }
};

/// The tokens of a stream by their index. An index after the last token is the end of the file.
class TokenView {
 public:
  /// Keeps a reference to `stream`.
  explicit TokenView(const TokenStream& stream) : stream_(stream) {}

  [[nodiscard]] std::size_t size() const { return stream_.tokens.size(); }
  /// Pre: `index` < size()
  [[nodiscard]] const Token& operator[](std::size_t index) const { return stream_.tokens[index]; }

  /// Whether the token is spelled so and is no string.
  [[nodiscard]] bool is(std::size_t index, std::string_view text) const;
  [[nodiscard]] bool is_name(std::size_t index) const;
  /// Whether the token is of a prefix block: `%{`, `%}` or a line between them.
  [[nodiscard]] bool is_native(std::size_t index) const;
  /// Whether one of the tokens is spelled so.
  [[nodiscard]] bool has(TokenSlice slice, std::string_view word) const;

  [[nodiscard]] Span span_at(std::size_t index) const;
  /// Pre: `slice` is not empty
  [[nodiscard]] Span span_of(TokenSlice slice) const;
  /// The token as messages name it: in backticks, or `the end of the file`.
  [[nodiscard]] std::string found_at(std::size_t index) const;

  /// Whether a newline and no blank stands before the token.
  ///
  /// Pre: `index` < size()
  [[nodiscard]] bool is_at_line_start(std::size_t index) const;
  /// Whether no other token stands before it in its line.
  ///
  /// Pre: `index` < size()
  [[nodiscard]] bool is_first_of_line(std::size_t index) const;
  /// Number of blanks before the first token of the line in which a token stands.
  ///
  /// Pre: `index` < size()
  [[nodiscard]] std::size_t indentation(std::size_t index) const;

  /// Whether another transform starts at the token, wherever it stands: `transform NAME` and the like.
  [[nodiscard]] bool begins_header(std::size_t index) const;
  /// Whether a rule begins at the token: `OUT.cell(` or `to (` at the beginning of a line, with which no header goes
  /// on.
  [[nodiscard]] bool begins_rule(std::size_t index) const;
  /// The name of the transform that a header declares; empty if it has none.
  [[nodiscard]] std::string name_of(TokenSlice header) const;

 private:
  const TokenStream& stream_;
};

/// `text` as messages quote the program.
[[nodiscard]] std::string quoted_token(std::string_view text);

}  // namespace pb
