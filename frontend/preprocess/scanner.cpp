// SPDX-License-Identifier: MIT
#include "frontend/preprocess/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "frontend/preprocess/characters.h"
#include "frontend/preprocess/punctuators.h"

namespace pb {
namespace {

struct Range {
  std::uint32_t first, last;
};
/// Characters beyond ASCII that C++ 11 allows in names, without blanks and marks that nobody sees. The C++ compiler
/// knows better.
constexpr std::array<Range, 20> kNameCharacters = {
    {{0xaa, 0xaa},     {0xb5, 0xb5},     {0xb7, 0xb7},     {0xba, 0xba},     {0xc0, 0xd6},
     {0xd8, 0xf6},     {0xf8, 0x167f},   {0x1681, 0x180d}, {0x180f, 0x1fff}, {0x203f, 0x2040},
     {0x2054, 0x2054}, {0x2090, 0x209c}, {0x2102, 0x2188}, {0x2c00, 0x2dff}, {0x2e80, 0x2fff},
     {0x3004, 0x3007}, {0x3021, 0x302f}, {0x3031, 0xd7ff}, {0xf900, 0xfdff}, {0x10000, 0xefffd}}};

/// Bytes of the UTF-8 character at the front of `text` if it may be part of a name; 0: it may not, or is none.
std::size_t name_character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.empty() ? 0 : text[0]);
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (size == 0 || first > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return 0;
    code = code << 6 | (next & 0x3fU);
  }
  const auto holds = [&](const Range& range) { return code >= range.first && code <= range.last; };
  return std::any_of(kNameCharacters.begin(), kNameCharacters.end(), holds) ? size : 0;
}

bool is_string_prefix(std::string_view word) { return word == "L" || word == "u8" || word == "u" || word == "U"; }
bool is_raw_prefix(std::string_view word) {
  return word == "R" || word == "LR" || word == "u8R" || word == "uR" || word == "UR";
}

}  // namespace

Scanner::Scanner(FileId file, const SourceManager& sources, Diagnostics& diags)
    : file_(file), text_(sources.text(file)), diags_(diags) {}

char Scanner::peek(std::size_t ahead) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }

DiagBuilder Scanner::report(DiagKind kind, std::size_t begin, std::size_t end) {
  const Span span{file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  return (is_quiet_ ? ignored_ : diags_).emit(kind, span);
}

std::size_t Scanner::joined_line_end() const {
  const std::string_view rest = text_.substr(pos_);
  return rest.starts_with("\\\n") ? 2 : rest.starts_with("\\\r\n") ? 3 : 0;
}

void Scanner::skip_block_comment() {
  const std::size_t begin = pos_;
  const std::size_t end = text_.find("*/", pos_ + 2);
  if (end == std::string_view::npos) report(DiagKind::UnterminatedComment, begin, begin + 2);
  const std::size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
  leading_ += ' ';
  for (; pos_ < stop; ++pos_)
    if (text_[pos_] == '\n') leading_ += '\n';
}

void Scanner::skip_line_comment() {
  while (pos_ < text_.size() && text_[pos_] != '\n') {
    const std::size_t size = joined_line_end();
    if (size > 0) leading_ += '\n';
    pos_ += std::max<std::size_t>(size, 1);
  }
}

/// Skips blanks and comments; false at the end of the text, or before a newline if asked to stop there.
bool Scanner::skip_blank(bool stop_at_newline) {
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == '\n') {
      if (stop_at_newline) return false;
      leading_ += '\n';
      is_line_start_ = true;
      ++pos_;
    } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
      leading_ += c;
      ++pos_;
    } else if (c == '\r') {
      ++pos_;
    } else if (const std::size_t size = joined_line_end(); size > 0) {
      pos_ += size;
      leading_ += '\n';
    } else if (c == '/' && peek(1) == '*') {
      skip_block_comment();
    } else if (c == '/' && peek(1) == '/') {
      skip_line_comment();
    } else {
      return true;
    }
  }
  return false;
}

bool Scanner::at_line_end() { return !skip_blank(true); }

std::string Scanner::take_leading() { return std::exchange(leading_, {}); }

std::string Scanner::take_line() {
  std::string out;
  while (!at_line_end()) {
    if (!leading_.empty() && !out.empty()) out += ' ';
    leading_.clear();
    const std::size_t begin = pos_;
    // Words of prose such as "don't" stand on these lines: only a closed literal is taken as one.
    const char c = text_[pos_];
    const std::size_t line_end = std::min(text_.find('\n', pos_), text_.size());
    const std::size_t close = c == '"' ? text_.find('"', pos_ + 1) : std::string_view::npos;
    pos_ = close < line_end ? close + 1 : pos_ + 1;
    out += text_.substr(begin, pos_ - begin);
  }
  leading_.clear();
  return out;
}

std::optional<Token> Scanner::next() {
  while (skip_blank(false)) {
    starts_line_ = std::exchange(is_line_start_, false);
    const std::size_t begin = pos_;
    const std::size_t num_errors = diags_.num_errors() + ignored_.num_errors();
    const TokenKind kind = scan_token();
    const bool is_unknown = kind == TokenKind::Punctuator && num_errors != diags_.num_errors() + ignored_.num_errors();
    if (is_unknown) continue;
    const Span span{file_, static_cast<std::uint32_t>(begin), offset()};
    return Token{kind, std::string(text_.substr(begin, pos_ - begin)), take_leading(), span, span};
  }
  return std::nullopt;
}

TokenKind Scanner::scan_token() {
  const char c = text_[pos_];
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    const std::size_t begin = pos_;
    scan_number();
    const std::string_view text = text_.substr(begin, pos_ - begin);
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const bool is_float = text.find_first_of(is_hex ? ".pP" : ".eE") != std::string_view::npos;
    return is_float ? TokenKind::Float : TokenKind::Integer;
  }
  if (is_name_start(c) || name_character_bytes(text_.substr(pos_)) != 0) {
    const std::size_t begin = pos_;
    scan_name();
    const std::string_view word = text_.substr(begin, pos_ - begin);
    if (peek() == '"' && is_raw_prefix(word) && scan_raw_string()) return TokenKind::String;
    if ((peek() == '"' || peek() == '\'') && is_string_prefix(word)) {
      const char quote = peek();
      scan_quoted(quote);
      return quote == '"' ? TokenKind::String : TokenKind::Char;
    }
    return TokenKind::Name;
  }
  if (c == '"' || c == '\'') {
    scan_quoted(c);
    return c == '"' ? TokenKind::String : TokenKind::Char;
  }
  const std::size_t begin = pos_;
  scan_punctuator();
  if (text_.substr(begin, 2) == "%{") {
    is_line_start_ = true;  // `%{ #include <cmath>` is a directive, too
    return TokenKind::NativeBegin;
  }
  if (text_.substr(begin, 2) == "%}") return TokenKind::NativeEnd;
  return TokenKind::Punctuator;
}

void Scanner::scan_name() {
  while (is_name_char(peek()) || name_character_bytes(text_.substr(pos_)) != 0)
    pos_ += is_name_char(peek()) ? 1 : name_character_bytes(text_.substr(pos_));
}

/// Scans a number. `1..3` is `1`, `..`, `3`, as in version ranges; `1.` is a number.
void Scanner::scan_number() {
  while (true) {
    const char c = peek();
    const char last = pos_ == 0 ? '\0' : text_[pos_ - 1];
    const bool is_exponent_sign =
        (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P') && peek(1) != '\0';
    const bool is_range = c == '.' && peek(1) == '.';
    const bool is_separator = c == '\'' && is_name_char(peek(1));
    if (is_range || !(is_name_char(c) || c == '.' || is_exponent_sign || is_separator)) return;
    // `0xE+1` is a sum.
    if (is_exponent_sign && (last == 'e' || last == 'E')) {
      std::size_t start = pos_ - 1;
      while (start > 0 && (is_name_char(text_[start - 1]) || text_[start - 1] == '.')) --start;
      if (text_[start] == '0' && (text_[start + 1] == 'x' || text_[start + 1] == 'X')) return;
    }
    ++pos_;
  }
}

void Scanner::scan_quoted(char quote) {
  const std::size_t begin = pos_++;
  while (pos_ < text_.size() && text_[pos_] != '\n') {
    const char c = text_[pos_];
    if (c == quote) {
      ++pos_;
      return;
    }
    pos_ += c == '\\' && pos_ + 1 < text_.size() ? 2 : 1;
  }
  pos_ = std::min(pos_, text_.size());
  report(DiagKind::UnterminatedString, begin, begin + 1).arg(quote == '"' ? "string" : "character");
}

bool Scanner::scan_raw_string() {
  const std::size_t open = text_.find('(', pos_);
  if (open == std::string_view::npos || open - pos_ > 17) return false;
  const std::string close = ")" + std::string(text_.substr(pos_ + 1, open - pos_ - 1)) + "\"";
  const std::size_t end = text_.find(close, open);
  if (end == std::string_view::npos) {
    report(DiagKind::UnterminatedString, pos_, pos_ + 1).arg("raw string");
    pos_ = text_.size();
  } else {
    pos_ = end + close.size();
  }
  return true;
}

void Scanner::scan_punctuator() {
  const std::size_t size = punctuator_at_front(text_.substr(pos_)).size();
  if (size == 0)
    scan_unknown();
  else
    pos_ += size;
}

void Scanner::scan_unknown() {
  const std::size_t begin = pos_++;
  const auto first = static_cast<unsigned char>(text_[begin]);
  if (first >= 0x80) {
    while (pos_ < text_.size() && static_cast<unsigned char>(text_[pos_]) >= 0x80) ++pos_;
  }
  const bool is_printable = first > 0x20 && first != 0x7f;
  const std::string_view text = text_.substr(begin, std::min<std::size_t>(pos_ - begin, 32));
  report(DiagKind::UnknownCharacter, begin, pos_)
      .arg(is_printable ? fmt::format("`{}`", text) : fmt::format("with code {}", first));
}

}  // namespace pb
