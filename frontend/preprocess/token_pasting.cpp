// SPDX-License-Identifier: MIT
#include "frontend/preprocess/token_pasting.h"

#include <algorithm>
#include <string_view>

#include "frontend/preprocess/characters.h"
#include "frontend/preprocess/punctuators.h"

namespace pb {
namespace {

/// Bytes above those of ASCII are parts of letters.
bool is_word_char(char c) { return is_name_char(c) || static_cast<unsigned char>(c) >= 0x80; }

bool is_hexadecimal(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

std::optional<TokenKind> kind_of(const std::string& text) {
  const bool is_number = is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1]));
  if (is_number) {
    if (!std::all_of(text.begin(), text.end(), [](char c) { return is_word_char(c) || c == '.' || c == '\''; }))
      return std::nullopt;
    const bool has_exponent = !is_hexadecimal(text) && text.find_first_of("eE") != std::string::npos;
    return has_exponent || text.find('.') != std::string::npos ? TokenKind::Float : TokenKind::Integer;
  }
  if (std::all_of(text.begin(), text.end(), is_word_char)) return TokenKind::Name;
  return punctuator_at_front(text) == text ? std::optional(TokenKind::Punctuator) : std::nullopt;
}

}  // namespace

std::optional<Token> pasted(const Token& left, const Token& right) {
  Token token = left;
  token.text += right.text;
  const auto is_literal = [](const Token& each) {
    return each.kind == TokenKind::String || each.kind == TokenKind::Char;
  };
  if (left.kind == TokenKind::Name && is_literal(right))
    return token.kind = right.kind, token;                              // a prefix, as in `L"a"`
  if (is_literal(left) && right.kind == TokenKind::Name) return token;  // a suffix
  const auto kind = kind_of(token.text);
  if (!kind) return std::nullopt;
  token.kind = *kind;
  return token;
}

std::string text_as_literal(const std::vector<Token>& tokens) {
  std::string text = "\"";
  for (const Token& token : tokens) {
    if (!token.leading.empty() && text.size() > 1) text += ' ';
    const bool is_quoted = token.kind == TokenKind::String || token.kind == TokenKind::Char;
    for (const char c : token.text) {
      if (is_quoted && (c == '"' || c == '\\')) text += '\\';
      text += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
  }
  return text + '"';
}

}  // namespace pb
