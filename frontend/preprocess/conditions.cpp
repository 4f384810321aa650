// SPDX-License-Identifier: MIT
#include "frontend/preprocess/conditions.h"

#include <algorithm>

#include "frontend/preprocess/if_expression.h"

namespace pb {
namespace {

/// Whether `defined` holds for the name. Macros with parameters count as undefined.
bool is_defined(const std::string& name, const MacroTable& macros) {
  const Macro* macro = macros.find(name);
  return macro != nullptr && !macro->is_function;
}

/// The line with `defined X` and `defined(X)` replaced by 1 or 0.
std::vector<Token> replace_defined(const std::vector<Token>& line, const MacroTable& macros) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_defined_word = line[i].kind == TokenKind::Name && line[i].text == "defined";
    const bool has_paren = i + 3 < line.size() && line[i + 1].text == "(" && line[i + 3].text == ")";
    const std::size_t name = i + (has_paren ? 2 : 1);
    out.push_back(line[i]);
    if (!is_defined_word || name >= line.size() || line[name].kind != TokenKind::Name) continue;
    out.back().kind = TokenKind::Integer;
    out.back().text = is_defined(line[name].text, macros) ? "1" : "0";
    i = name + (has_paren ? 1 : 0);
  }
  return out;
}

}  // namespace

bool speaks_of_known_macros(const std::vector<Token>& condition, const MacroTable& macros) {
  return std::all_of(condition.begin(), condition.end(), [&](const Token& t) {
    return t.kind != TokenKind::Name || t.text == "defined" || macros.was_ever_defined(t.text);
  });
}

bool condition_holds(const std::string& name, const std::vector<Token>& line, Span span, const MacroTable& macros,
                     MacroExpander& expander, Diagnostics& diags) {
  if (name == "ifdef" || name == "ifndef") {
    if (line.empty() || line[0].kind != TokenKind::Name) {
      diags.emit(DiagKind::MalformedDirective, span).arg(name).arg("needs a name");
      return false;
    }
    return is_defined(line[0].text, macros) == (name == "ifdef");
  }
  const std::vector<Token> expression = expander.expand(replace_defined(line, macros));
  std::string why;
  const auto value = evaluate_condition(expression, why);
  if (!value) {
    const Span where = line.empty() ? span : join(line.front().spelling, line.back().spelling);
    diags.emit(DiagKind::ConditionNotConstant, where).arg(name).arg(why);
  }
  return value.value_or(0) != 0;
}

}  // namespace pb
