// SPDX-License-Identifier: MIT
// From the characters of one file to raw tokens: comments, literals, numbers and
// punctuation of C++. Knows lines, but not what preprocessor lines mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lang/diagnostics.h"
#include "lang/source.h"
#include "lang/token.h"

namespace pb {

class Scanner {
 public:
  Scanner(FileId file, const SourceManager& sources, Diagnostics& diags);

  /// The next token; none at the end of the file. `starts_line` then says whether it is the first of its line.
  [[nodiscard]] std::optional<Token> next();
  [[nodiscard]] bool starts_line() const { return starts_line_; }

  /// True if nothing but blanks and comments is left on the current line.
  [[nodiscard]] bool at_line_end();
  /// Raw text to the end of the line, over lines that end in a backslash; comments removed, blanks trimmed.
  [[nodiscard]] std::string take_line();

  /// White space read since the last token.
  [[nodiscard]] std::string take_leading();
  /// Suppresses messages, while a conditional skips the text.
  void set_quiet(bool is_quiet) { is_quiet_ = is_quiet; }

  [[nodiscard]] FileId file() const { return file_; }
  [[nodiscard]] std::uint32_t offset() const { return static_cast<std::uint32_t>(pos_); }
  [[nodiscard]] Span here() const { return {file_, offset(), offset()}; }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  /// Bytes of a backslash here and the end of the line behind it, which joins this line and the next; 0: there is none.
  [[nodiscard]] std::size_t joined_line_end() const;
  bool skip_blank(bool stop_at_newline);
  void skip_block_comment();
  void skip_line_comment();
  TokenKind scan_token();
  void scan_name();
  void scan_number();
  void scan_quoted(char quote);
  bool scan_raw_string();
  void scan_punctuator();
  void scan_unknown();
  DiagBuilder report(DiagKind kind, std::size_t begin, std::size_t end);

  FileId file_;
  std::string_view text_;
  Diagnostics& diags_;
  Diagnostics ignored_{0};
  std::size_t pos_ = 0;
  std::string leading_;
  bool is_line_start_ = true;
  bool starts_line_ = false;
  bool is_quiet_ = false;
};

}  // namespace pb
