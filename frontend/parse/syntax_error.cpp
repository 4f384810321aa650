// SPDX-License-Identifier: MIT
#include "frontend/parse/syntax_error.h"

#include <fmt/format.h>

#include <set>

#include "frontend/parse/syntax_hint.h"

namespace pb {
namespace {

using pb_antlr::PbccParser;

/// The name of a construct, which messages use instead of the tokens with which it can begin.
const char* construct_of(size_t rule) {
  switch (rule) {
    case PbccParser::RuleFormula:
      return "a formula";
    case PbccParser::RuleName:
      return "a name";
    case PbccParser::RuleNumber:
      return "a number";
    case PbccParser::RuleInteger:
      return "an integer";
    case PbccParser::RuleAccessor:
      return "`cell`, `row`, `column`, `region` or `all`";
    case PbccParser::RuleRelationOp:
      return "a comparison";
    case PbccParser::RuleHeader:
      return "a header clause such as `from` or `to`, or `{`";
    case PbccParser::RuleMatrix:
      return "a matrix";
    case PbccParser::RuleTunable:
    case PbccParser::RuleModifier:
      return "a tunable";
    case PbccParser::RuleCondition:
    case PbccParser::RuleConjunction:
    case PbccParser::RuleConditionPart:
    case PbccParser::RuleRelation:
      return "a relation such as `i < n`";
    case PbccParser::RuleRuleOutputs:
      return "a rule such as `OUT.cell(i) from (IN.cell(i) a) { … }`";
    default:
      return nullptr;
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string list_expected(const Unit& unit, const UnitError& error) {
  constexpr std::size_t kMaxListed = 5;
  const std::set<size_t> types(error.expected.begin(), error.expected.end());
  std::vector<std::string> words;
  const bool has_name = types.contains(PbccParser::ID);
  if (has_name) words.emplace_back("a name");
  if (types.contains(PbccParser::INT)) words.emplace_back("a number");
  for (const size_t type : types) {
    const std::string literal = unit.vocabulary().getLiteralName(type);
    const bool is_word = literal.size() > 2 && literal[1] >= 'a' && literal[1] <= 'z';
    if (type == antlr4::Token::EOF)
      words.emplace_back("`{`");
    else if (literal.size() > 2 && !(has_name && is_word))
      words.push_back("`" + literal.substr(1, literal.size() - 2) + "`");
  }
  if (words.empty() || words.size() > kMaxListed) return "something else";
  return joined(words);
}

std::string expected_words(const Unit& unit, const UnitError& error) {
  const char* construct = construct_of(error.rule);
  const bool is_known = !error.expected.empty();
  // One token is missing in the middle of a construct: the message says which.
  if (is_known && (construct == nullptr || error.expected.size() == 1)) {
    const bool is_end = error.expected.size() == 1 && error.expected[0] == antlr4::Token::EOF;
    if (is_end && error.rule == PbccParser::RuleHeader) return construct;
    if (is_end && error.rule == PbccParser::RuleRuleHeader) return "`using`, `where` or the body's `{`";
    return list_expected(unit, error);
  }
  if (construct != nullptr) return construct;
  return "something else";
}

}  // namespace

void report_errors(const Unit& unit, Span end, std::string_view end_text, Diagnostics& diags) {
  for (const UnitError& error : unit.errors()) {
    const bool is_end = error.token >= unit.tokens().size();
    const Span span = is_end ? end : unit.tokens()[error.token].expansion;
    const std::string found = is_end && end_text.empty()
                                  ? "the end of the file"
                                  : fmt::format("`{}`", is_end ? end_text : unit.tokens()[error.token].text);
    auto diagnostic = diags.emit(DiagKind::SyntaxError, span).arg(found).arg(expected_words(unit, error));
    if (error.start_token < error.token)
      diagnostic.label(unit.tokens()[error.start_token].expansion, "in what begins here");
    if (!is_end && unit.tokens()[error.token].spelling != span) {
      diagnostic.note(unit.tokens()[error.token].spelling, "from this macro");
    }
    if (const std::string hint = hint_for(unit, error); !hint.empty()) diagnostic.hint(hint);
  }
}

}  // namespace pb
