// SPDX-License-Identifier: MIT
#include "frontend/parse/statement_errors.h"

#include <map>
#include <string>
#include <string_view>

namespace pb {
namespace {

bool is_number(const std::string& text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

/// Begins a message about the token `at`, or about the brace after the last one. `expected` is what could stand there.
DiagBuilder unexpected(const Body& body, std::size_t at, std::string_view expected, Diagnostics& diags) {
  const bool is_inside = at < body.tokens.size();
  const Span end{body.span.file, body.span.end - 1, body.span.end};
  return diags.emit(DiagKind::SyntaxError, is_inside ? body.tokens[at].expansion : end)
      .arg(is_inside ? "`" + body.tokens[at].text + "`" : "`}`")
      .arg(expected);
}

/// Reports a statement that runs into the end of its block without `;`, unless it is the use of a macro that only the
/// C++ compiler knows: `NAME(…)`.
void report_unfinished(const Body& body, TokenRange range, std::size_t at, Diagnostics& diags) {
  const std::string& last = body.tokens[range.end - 1].text;
  const bool may_be_macro = last == ")" && range.begin + 1 < range.end && body.tokens[range.begin + 1].text == "(";
  if (last == ";" || last == "}" || may_be_macro) return;
  unexpected(body, at, at >= range.end ? "`;`" : "an operator or `;`", diags)
      .label(body.tokens[range.begin].expansion, "in the statement that begins here");
}

/// Reports a statement that begins with a word that only the language has, and which means nothing to the C++ compiler.
bool report_misspelt(const Body& body, TokenRange range, std::size_t at, Diagnostics& diags) {
  static const std::map<std::string_view, std::string_view> kForms = {
      {"for_enough",
       "the tuner chooses the number of rounds: `for_enough (1; 9) { … }`, least and greatest, or `for_enough { … }`"},
      {"spawn", "`spawn` begins the call of a transform: `spawn T(out, in);`"},
      {"sync", "`sync;` is a statement of its own"}};
  // In `for_enough (1, 9) { }` the loop's statement has the error.
  const std::string& begin = body.tokens[range.begin].text;
  const bool is_head =
      range.begin > 0 && body.tokens[range.begin - 1].text == "for_enough" && (begin == "(" || is_number(begin));
  const BodyToken& word = body.tokens[is_head ? range.begin - 1 : range.begin];
  if (is_head) at = range.begin;
  while (is_head && begin == "(" && at + 1 < range.end && (at == range.begin || is_number(body.tokens[at].text))) ++at;
  const auto form = kForms.find(word.text);
  if (form == kForms.end()) return false;
  unexpected(body, at, "another form of `" + word.text + "`", diags)
      .label(word.expansion, "in the statement that begins here")
      .hint(std::string(form->second));
  return true;
}

}  // namespace

void report_unread_statement(const Body& body, TokenRange tokens, std::size_t at, Diagnostics& diags) {
  if (tokens.begin >= tokens.end) return;
  if (!report_misspelt(body, tokens, at, diags)) report_unfinished(body, tokens, at, diags);
}

}  // namespace pb
