// SPDX-License-Identifier: MIT
#include "frontend/parse/body_nodes.h"

#include <fmt/format.h>

#include <cctype>

#include "frontend/parse/token_source.h"

namespace pb {

Span BodyNodes::span_of(TokenRange range) const {
  if (range.begin >= range.end) return {};
  return join(body_.tokens[range.begin].expansion, body_.tokens[range.end - 1].expansion);
}

Span BodyNodes::span_of(antlr4::tree::TerminalNode* word) const {
  return body_.tokens[Unit::index_of(word->getSymbol())].expansion;
}

Declarator BodyNodes::declarator(antlr4::tree::TerminalNode* name) const {
  Declarator out;
  out.name = name->getText();
  out.name_span = span_of(name);
  return out;
}

std::string BodyNodes::reason_at(std::size_t token) const {
  if (token >= body_.tokens.size()) return "it ends in the middle of a statement";
  const std::string& text = body_.tokens[token].text;
  const bool is_else = text == "else";
  if (is_else) return "`else` has no `if`";
  // A variable may be called like a type: the text is wrong for the parser there, or behind the name.
  const bool may_be_behind = token > 0 && std::ispunct(static_cast<unsigned char>(text.front())) != 0 &&
                             text.front() != '_' && text != "(" && text != "{";
  for (const std::size_t at : {token, may_be_behind ? token - 1 : token})
    if (is_type_word(body_.tokens[at].text)) return fmt::format("`{}` is the name of a type", body_.tokens[at].text);
  return fmt::format("`{}` here is for the C++ compiler alone", text);
}

}  // namespace pb
