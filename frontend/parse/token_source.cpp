// SPDX-License-Identifier: MIT
#include "frontend/parse/token_source.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "PbccParser.h"
#include "lang/operators.h"

namespace pb {
namespace {

using pb_antlr::PbccParser;
using WordTable = std::unordered_set<std::string_view>;

const WordTable kHeaderWords = {
    "main",          "memoized",  "transform", "template",     "function",        "generator",     "gen",
    "config",        "param",     "parameter", "tunable",      "accuracy_metric", "accuracy_bins", "accuracy_variable",
    "input_feature", "scaled_by", "to",        "from",         "through",         "using",         "or",
    "and",           "tolerance", "verify",    "double",       "float",           "int",           "long",
    "short",         "uchar",     "ushort",    "sizespecific", "accuracyhint",    "array",         "initial",
    "min",           "max",       "in",        "testcase"};

const WordTable kRuleWords = {"where",  "priority", "primary", "secondary", "rotatable", "recursive", "duplicate",
                              "rule",   "to",       "from",    "using",     "through",   "and",       "or",
                              "double", "float",    "int",     "long",      "short",     "uchar",     "ushort",
                              "cell",   "row",      "col",     "column",    "region",    "all",       "distinct"};

const WordTable kBodyWords = {
    "if",      "else",    "for",    "while",     "do",     "for_enough",  "switch",     "case",
    "default", "return",  "break",  "continue",  "spawn",  "sync",        "SPAWN",      "CALL",
    "SYNC",    "static",  "const",  "constexpr", "auto",   "void",        "bool",       "char",
    "short",   "int",     "long",   "float",     "double", "unsigned",    "signed",     "true",
    "false",   "nullptr", "sizeof", "new",       "delete", "static_cast", "const_cast", "reinterpret_cast",
    "and",     "or",      "try",    "mutable"};

/// The words that begin statements of bodies and are names in all other places, each with the tokens that may follow it
/// as such a word. If there are none, every token may follow that does not continue an expression.
const std::unordered_map<std::string_view, WordTable> kStatementWords = {
    {"spawn", {}}, {"for_enough", {}}, {"sync", {";", "("}}, {"SPAWN", {"("}}, {"CALL", {"("}}, {"SYNC", {"("}}};

const WordTable kOtherCxxKeywords = {
    "alignas",      "alignof",   "asm",       "catch",    "class",         "co_await", "co_return", "co_yield",
    "concept",      "consteval", "constinit", "decltype", "dynamic_cast",  "enum",     "explicit",  "export",
    "extern",       "friend",    "goto",      "inline",   "namespace",     "noexcept", "operator",  "private",
    "protected",    "public",    "register",  "requires", "static_assert", "struct",   "template",  "this",
    "thread_local", "throw",     "typedef",   "typeid",   "typename",      "union",    "using",     "virtual",
    "volatile",     "not",       "bitand",    "bitor",    "compl",         "xor"};

const WordTable kTypeNames = {"ElementT", "IndexT",  "size_t",  "ptrdiff_t", "ssize_t",      "int8_t",
                              "int16_t",  "int32_t", "int64_t", "uint8_t",   "uint16_t",     "uint32_t",
                              "uint64_t", "uchar",   "ushort",  "uint",      "MatrixRegion", "ConstMatrixRegion"};

/// Whether the word before `next` begins an expression: `sync += 1;`.
bool goes_on(std::string_view next) {
  const bool is_access = next == "." || next == "->" || next == "[";
  return is_access || next == "=" || find_assignment_op(next) || find_unary_op(next, OperatorPlace::Postfix);
}

/// `MatrixRegion2D`, `ConstMatrixRegion0D`.
bool is_region_type(std::string_view word) {
  if (word.starts_with("Const")) word.remove_prefix(5);
  return word.size() == 14 && word.starts_with("MatrixRegion") && word[12] >= '0' && word[12] <= '9' && word[13] == 'D';
}

/// Token types of the grammar's literals, by their spelling.
const std::unordered_map<std::string, size_t>& literal_types() {
  static const auto table = [] {
    std::unordered_map<std::string, size_t> out;
    PbccParser parser(nullptr);
    const antlr4::dfa::Vocabulary& vocabulary = parser.getVocabulary();
    for (size_t type = 1; type <= vocabulary.getMaxTokenType(); ++type) {
      const std::string quoted = vocabulary.getLiteralName(type);
      if (quoted.size() > 2) out[quoted.substr(1, quoted.size() - 2)] = type;
    }
    return out;
  }();
  return table;
}

size_t literal_type(const std::string& text, size_t otherwise) {
  const auto it = literal_types().find(text);
  return it == literal_types().end() ? otherwise : it->second;
}

const WordTable& keywords_of(UnitKind kind) {
  switch (kind) {
    case UnitKind::Header:
      return kHeaderWords;
    case UnitKind::Rule:
      return kRuleWords;
    case UnitKind::Body:
      return kBodyWords;
  }
  return kBodyWords;
}

}  // namespace

bool is_reserved(UnitKind kind, std::string_view word) {
  static const WordTable contextual = {"tolerance", "verify", "double", "float",        "int",          "long",
                                       "short",     "uchar",  "ushort", "sizespecific", "accuracyhint", "array",
                                       "initial",   "min",    "max",    "cell",         "row",          "col",
                                       "column",    "region", "all",    "in",           "testcase"};
  return keywords_of(kind).contains(word) && !contextual.contains(word);
}

bool is_type_word(std::string_view word) { return kTypeNames.contains(word) || is_region_type(word); }

UnitTokenSource::UnitTokenSource(UnitKind kind, std::span<const Token> tokens, const KnownNames& names)
    : kind_(kind), tokens_(tokens), names_(names) {}

antlr4::TokenFactory<antlr4::CommonToken>* UnitTokenSource::getTokenFactory() {
  return antlr4::CommonTokenFactory::DEFAULT.get();
}

std::string_view UnitTokenSource::text(std::size_t index) const {
  return index < tokens_.size() ? std::string_view(tokens_[index].text) : "";
}

std::unique_ptr<antlr4::Token> UnitTokenSource::nextToken() {
  const bool is_end = next_ >= tokens_.size();
  const bool is_split = !is_end && kind_ == UnitKind::Body && text(next_) == ">>";
  const size_t type = is_end ? antlr4::Token::EOF : is_split ? literal_type(">", PbccParser::OTHER) : type_of(next_);
  auto token = std::make_unique<antlr4::CommonToken>(type, is_end ? "" : is_split ? ">" : tokens_[next_].text);
  token->setStartIndex(next_);
  token->setStopIndex(next_);
  if (is_split) is_second_half_ = !is_second_half_;
  if (!is_end && !is_second_half_) ++next_;
  return token;
}

size_t UnitTokenSource::type_of(std::size_t index) const {
  const Token& token = tokens_[index];
  switch (token.kind) {
    case TokenKind::Name:
      return type_of_word(index);
    case TokenKind::Integer:
      return PbccParser::INT;
    case TokenKind::Float:
      return PbccParser::FLOAT;
    case TokenKind::Char:
      return PbccParser::CHAR;
    case TokenKind::String:
      return PbccParser::STRING;
    case TokenKind::Punctuator:
      return literal_type(token.text, PbccParser::OTHER);
    case TokenKind::NativeBegin:
    case TokenKind::NativeEnd:
    case TokenKind::NativeLine:
      return PbccParser::OTHER;
  }
  return PbccParser::OTHER;
}

size_t UnitTokenSource::type_of_word(std::size_t index) const {
  const std::string& word = tokens_[index].text;
  if (keywords_of(kind_).contains(word) && !is_plain_name(index)) return literal_type(word, PbccParser::ID);
  if (kind_ != UnitKind::Body) return PbccParser::ID;
  if (is_transform_call(index)) return PbccParser::TNAME;
  if (is_type_word(word)) return names_.variables.contains(word) ? PbccParser::ID : PbccParser::TYPE_ID;
  return kOtherCxxKeywords.contains(word) ? PbccParser::KEYWORD : PbccParser::ID;
}

bool UnitTokenSource::is_plain_name(std::size_t index) const {
  if (kind_ != UnitKind::Body) return false;
  const auto word = kStatementWords.find(tokens_[index].text);
  if (word == kStatementWords.end()) return false;
  const WordTable& followers = word->second;
  return !begins_statement(index) ||
         (followers.empty() ? goes_on(text(index + 1)) : !followers.contains(text(index + 1)));
}

bool UnitTokenSource::is_transform_call(std::size_t index) const {
  const std::string_view next = text(index + 1);
  return (next == "(" || next == "<") && names_.transforms.contains(tokens_[index].text) && begins_statement(index);
}

bool UnitTokenSource::begins_statement(std::size_t index) const {
  if (index == 0) return true;
  const std::string_view before = text(index - 1);
  if (before == ";" || before == "{" || before == "}" || before == "else" || before == "do" || before == "spawn" ||
      before == ":" || before == "for_enough")
    return true;
  if (before != ")") return false;
  // `if (…) T(…);` but not `(double) T(…)`.
  std::size_t open = index - 1;
  for (int depth = 0; open > 0; --open) {
    if (text(open) == ")") ++depth;
    if (text(open) == "(" && --depth == 0) break;
  }
  const std::string_view head = open > 0 ? text(open - 1) : "";
  return head == "if" || head == "for" || head == "while" || head == "switch" || head == "for_enough";
}

}  // namespace pb
