// SPDX-License-Identifier: MIT
// The grammar cannot include the table of operators (lang/operators.def), so it lists their spellings once more. Here
// its text is compared with the table: an operator in one and not in the other fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lang/operators.h"

namespace pb {
namespace {

using Spellings = std::set<std::string>;

/// Spellings by how tightly they bind, the tightest first.
using Levels = std::vector<Spellings>;

std::string grammar() {
  std::ifstream file(PB_SOURCE_DIR "/lang/Pbcc.g4");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The texts in quotes in a piece of the grammar. `'>' '>'` is one operator, read as two tokens.
Spellings operators_in(std::string text) {
  text = std::regex_replace(text, std::regex("'>' '>'"), "'>>'");
  Spellings out;
  static const std::regex kQuoted("'([^']+)'");
  for (std::sregex_iterator it(text.begin(), text.end(), kQuoted), end; it != end; ++it) out.insert((*it)[1]);
  return out;
}

/// The definition of a rule of the grammar, up to its `;`.
std::string rule(const std::string& name) {
  static const std::string text = grammar();
  const std::size_t begin = text.find("\n" + name + "\n  :");
  const std::size_t begin_of_short = text.find("\n" + name + " :");
  const std::size_t first = std::min(begin, begin_of_short);
  if (first == std::string::npos) return "";
  const std::size_t end = std::min(text.find("\n  ;", first), text.find(" ;\n", first));
  return text.substr(first, end - first);
}

/// The alternatives of a rule that match a pattern, as the operators in each.
Levels alternatives(const std::string& name, const std::string& pattern) {
  const std::string text = rule(name);
  static const std::regex kSeparator("\n  [|:] ");
  const std::regex wanted(pattern);
  Levels out;
  for (std::sregex_token_iterator it(text.begin(), text.end(), kSeparator, -1), end; it != end; ++it)
    if (std::regex_search(it->str(), wanted)) out.push_back(operators_in(*it));
  return out;
}

/// The spellings of a table, grouped by precedence.
Levels levels(const std::map<Precedence, Spellings>& spellings) {
  Levels out;
  for (auto it = spellings.rbegin(); it != spellings.rend(); ++it) out.push_back(it->second);
  return out;
}

/// All binary operators but the comma, which the grammar has in a rule of its own.
std::map<Precedence, Spellings> binary_operators() {
  std::map<Precedence, Spellings> out;
#define PB_BINARY_OP(name, spelling, word, precedence, kind, result) \
  out[Precedence::precedence].insert(spelling);                      \
  if (*word != '\0') out[Precedence::precedence].insert(word);
#include "lang/operators.def"
  out.erase(Precedence::Comma);
  return out;
}

Spellings unary_operators(OperatorPlace wanted) {
  Spellings out;
#define PB_UNARY_OP(name, spelling, place, kind) \
  if (wanted == OperatorPlace::place) out.insert(spelling);
#include "lang/operators.def"
  return out;
}

Spellings assignments() {
  Spellings out{"="};
#define PB_BINARY_OP(name, spelling, word, precedence, kind, result) \
  if (has_assignment(OperatorResult::result)) out.insert(spelling "=");
#include "lang/operators.def"
  return out;
}

TEST(Grammar, HasTheBinaryOperatorsOfTheTableByPrecedence) {
  EXPECT_EQ(alternatives("expr", "# binaryExpr"), levels(binary_operators()));
}

TEST(Grammar, HasTheUnaryOperatorsOfTheTable) {
  EXPECT_EQ(alternatives("expr", "# prefixExpr"), Levels{unary_operators(OperatorPlace::Prefix)});
  EXPECT_EQ(alternatives("expr", "# postfixExpr"), Levels{unary_operators(OperatorPlace::Postfix)});
}

TEST(Grammar, HasTheAssignmentsOfTheTable) { EXPECT_EQ(alternatives("expr", "# assignExpr"), Levels{assignments()}); }

TEST(Grammar, HasTheOperatorsOfFormulasByPrecedence) {
  std::map<Precedence, Spellings> formula_operators;
#define PB_FORMULA_OP(name, spelling, precedence) formula_operators[Precedence::precedence].insert(spelling);
#include "lang/operators.def"
  EXPECT_EQ(alternatives("formula", "formula op="), levels(formula_operators));
}

TEST(Grammar, HasTheRelationsOfTheTable) {
  Spellings relations{"="};
#define PB_RELATION_OP(name, operator_, opposite) relations.insert(#operator_);
#include "lang/operators.def"
  EXPECT_EQ(operators_in(rule("relationOp")), relations);
}

/// A statement that begins with an operator is read as an unknown one, if no expression begins so.
TEST(Grammar, KnowsTheOperatorsThatBeginNoStatement) {
  Spellings others = assignments();
  for (const auto& [precedence, spellings] : binary_operators()) others.insert(spellings.begin(), spellings.end());
  for (const std::string& prefix : unary_operators(OperatorPlace::Prefix)) others.erase(prefix);
  others.erase(">>");  // the grammar reads it as two tokens
  const Spellings known = operators_in(rule("otherStmt"));
  for (const std::string& other : others) EXPECT_TRUE(known.contains(other)) << other;
}

/// Between `<` and `>` stands the arithmetic of expressions, with the same precedences.
TEST(Grammar, HasTheArithmeticOfTheTableBetweenAngles) {
  const std::map<Precedence, Spellings> all = binary_operators();
  EXPECT_EQ(alternatives("constExpr", "constExpr op="),
            (Levels{all.at(Precedence::Multiplicative), all.at(Precedence::Additive)}));
}

}  // namespace
}  // namespace pb
