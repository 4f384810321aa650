// SPDX-License-Identifier: MIT
#include "frontend/parse/token_view.h"

#include <fmt/format.h>

namespace pb {

bool TokenView::is(std::size_t index, std::string_view text) const {
  return index < size() && (*this)[index].text == text && (*this)[index].kind != TokenKind::String;
}

bool TokenView::is_name(std::size_t index) const { return index < size() && (*this)[index].kind == TokenKind::Name; }

bool TokenView::is_native(std::size_t index) const {
  if (index >= size()) return false;
  const TokenKind kind = (*this)[index].kind;
  return kind == TokenKind::NativeBegin || kind == TokenKind::NativeEnd || kind == TokenKind::NativeLine;
}

bool TokenView::has(TokenSlice slice, std::string_view word) const {
  for (std::size_t i = slice.begin; i < slice.end; ++i)
    if (is(i, word)) return true;
  return false;
}

Span TokenView::span_at(std::size_t index) const { return index < size() ? (*this)[index].expansion : stream_.end; }

Span TokenView::span_of(TokenSlice slice) const { return join(span_at(slice.begin), span_at(slice.end - 1)); }

std::string TokenView::found_at(std::size_t index) const {
  return index < size() ? quoted_token((*this)[index].text) : "the end of the file";
}

bool TokenView::is_at_line_start(std::size_t index) const {
  return index == 0 || (*this)[index].leading.ends_with('\n');
}

bool TokenView::is_first_of_line(std::size_t index) const {
  return index == 0 || (*this)[index].leading.find('\n') != std::string::npos;
}

std::size_t TokenView::indentation(std::size_t index) const {
  while (!is_first_of_line(index)) --index;
  const std::string& leading = (*this)[index].leading;
  return leading.size() - (leading.find('\n') == std::string::npos ? 0 : leading.rfind('\n') + 1);
}

bool TokenView::begins_header(std::size_t index) const {
  // Alone these words are clauses, which may stand anywhere in a header.
  while (is(index, "main") || is(index, "memoized")) ++index;
  return is_name(index + 1) && (is(index, "transform") || is(index, "function"));
}

bool TokenView::begins_rule(std::size_t index) const {
  if (index >= size() || !is_first_of_line(index)) return false;
  const bool is_named = is(index, "to") && is(index + 1, "(");
  return is_named || (is_name(index) && is(index + 1, ".") && is_name(index + 2) && is(index + 3, "("));
}

std::string TokenView::name_of(TokenSlice header) const {
  for (std::size_t i = header.begin; i + 1 < header.end; ++i)
    if (is(i, "transform")) return (*this)[i + 1].text;
  return "";
}

std::string quoted_token(std::string_view text) { return fmt::format("`{}`", text); }

}  // namespace pb
