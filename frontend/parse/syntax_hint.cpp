// SPDX-License-Identifier: MIT
#include "frontend/parse/syntax_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/suggest.h"

namespace pb {
namespace {

using pb_antlr::PbccParser;
using Words = std::set<std::string>;

const Words kMatrixLists = {"from", "to", "through", "using"};
const Words kOneName = {"generator", "gen", "accuracy_metric", "verify", "input_feature"};
const Words kTunables = {"tunable", "config", "accuracy_variable"};
const Words kOfRules = {"distinct", "duplicate", "primary", "priority", "recursive", "rotatable", "rule", "secondary"};
const Words kRelations = {"<", "<=", ">", ">=", "==", "!=", "="};
const Words kTypesOfC = {"int",    "long", "short", "unsigned", "bool", "char",
                         "size_t", "void", "auto",  "double",   "float"};

/// The words that may stand where an error is.
std::vector<std::string> words_at(const UnitError& error) {
  switch (error.rule) {
    case PbccParser::RuleHeader:
      return {"transform",     "function",        "from",          "to",
              "through",       "using",           "template",      "generator",
              "param",         "config",          "tunable",       "main",
              "memoized",      "accuracy_metric", "accuracy_bins", "accuracy_variable",
              "input_feature", "tolerance",       "verify"};
    case PbccParser::RuleAccessor:
      return {"cell", "row", "column", "region", "all"};
    case PbccParser::RuleRuleHeader:
      return {"from", "using", "through", "where"};
    default:
      return {};
  }
}

/// An error with the words around it.
class Place {
 public:
  Place(const Unit& unit, const UnitError& error) : unit_(unit), error_(error) {}

  [[nodiscard]] std::string hint() const {
    if (found() == "&" || found() == "|") return fmt::format("conditions are joined by `{}`", found() + found());
    if (found() == "%") return "formulas have no remainder: every second cell is `OUT.cell(2*i)`";
    if (is_taken_for_region()) return fmt::format("`{}` is a word of the language here: choose another name", found());
    std::string out = unit_.kind() == UnitKind::Rule ? in_rule() : is_empty_clause() ? in_empty_clause() : in_header();
    if (!out.empty() || !is_name(error_.token)) return out;
    if (is_taken_for_name()) return fmt::format("`{}` is a word of the language here: choose another name", found());
    return suggest(found(), words_at(error_));
  }

 private:
  /// The text of a token; empty beyond both ends.
  [[nodiscard]] std::string text(std::size_t index) const {
    return index < unit_.tokens().size() ? unit_.tokens()[index].text : std::string();
  }
  [[nodiscard]] std::string found() const { return text(error_.token); }
  [[nodiscard]] std::string before() const { return error_.token > 0 ? text(error_.token - 1) : std::string(); }
  [[nodiscard]] std::string after() const { return text(error_.token + 1); }
  [[nodiscard]] bool is_name(std::size_t index) const {
    return index < unit_.tokens().size() && unit_.tokens()[index].kind == TokenKind::Name;
  }
  [[nodiscard]] bool comes_before(const std::string& word) const {
    for (std::size_t i = 0; i < error_.token && i < unit_.tokens().size(); ++i)
      if (text(i) == word) return true;
    return false;
  }
  [[nodiscard]] bool comes_after(const std::string& word) const {
    for (std::size_t i = error_.token + 1; i < unit_.tokens().size(); ++i)
      if (text(i) == word) return true;
    return false;
  }

  /// The word that begins the clause of a header in which the error is; empty before the first one.
  [[nodiscard]] std::string clause() const {
    for (std::size_t i = std::min(error_.token, unit_.tokens().size()); i-- > 0;) {
      std::string word = text(i);
      const bool begins =
          kMatrixLists.contains(word) || kOneName.contains(word) || kTunables.contains(word) ||
          Words{"transform", "function", "template", "accuracy_bins", "tolerance", "param"}.contains(word);
      if (begins) return word;
    }
    return {};
  }

  /// Whether the header has the clause that begins with `word`.
  [[nodiscard]] bool has_clause(const std::string& word) const {
    return text(error_.token) == word || comes_before(word) || comes_after(word);
  }

  /// Whether a reserved word stands where a name could: where a name is expected, or words that only begin a rule.
  [[nodiscard]] bool is_taken_for_name() const {
    if (!is_reserved(unit_.kind(), found())) return false;
    const bool is_name_expected = error_.rule == PbccParser::RuleName || error_.rule == PbccParser::RuleMatrix ||
                                  error_.rule == PbccParser::RuleFormula;
    return is_name_expected || (unit_.kind() == UnitKind::Rule && error_.token > 0 && kOfRules.contains(found()));
  }

  /// Whether a reserved word stands where a region of a list gets its name, as in `from (A.cell(i) from)`.
  [[nodiscard]] bool is_taken_for_region() const {
    if (unit_.kind() != UnitKind::Rule || !is_reserved(unit_.kind(), found()) || error_.token < 2) return false;
    const std::string earlier = text(error_.token - 2);
    const bool is_behind_region = before() == ")" || (is_name(error_.token - 1) && (earlier == "(" || earlier == ","));
    return is_behind_region && Words{",", ")", "="}.contains(after()) && is_in_list();
  }

  /// Whether the word of a list of matrices has none behind it: the next clause or the body follows.
  [[nodiscard]] bool is_empty_clause() const {
    if (!kMatrixLists.contains(before())) return false;
    return found().empty() || (kMatrixLists.contains(found()) && !Words{",", "[", "<"}.contains(after()));
  }
  [[nodiscard]] std::string in_empty_clause() const {
    if (before() != "to") return fmt::format("a header without such matrices has no `{}`", before());
    return "a transform has outputs; a helper without any is a C++ function in a `%{ … %}` block";
  }

  /// Flat by design: one slip after the other.
  [[nodiscard]] std::string in_header() const {
    const std::string word = clause();
    const bool in_matrices = kMatrixLists.contains(word);
    if (word.empty() &&
        (kTypesOfC.contains(text(0)) || Words{"const", "static", "struct", "class", "namespace"}.contains(text(0))))
      return "C++ outside of bodies stands in a `%{ … %}` block";
    if (found() == "main" && before() == "transform") return "`main` stands before `transform`";
    if (found() == "(" && error_.rule == PbccParser::RuleNumber)
      return fmt::format("the numbers of `{}` stand without parentheses", word);
    if (found() == "(" && kOneName.contains(word)) return fmt::format("`{}` takes the name of a transform alone", word);
    if (found() == "(" && error_.rule == PbccParser::RuleHeader && in_matrices)
      return fmt::format("sizes stand in brackets: `{}[n]`", before());
    if (found() == "(" && in_matrices && is_name(error_.token - 1))
      return "formulas are made with `+ - * / ^` and have no functions";
    if (found() == "[" && before() == "]")
      return "the sizes of all dimensions stand in one pair of brackets: `A[w, h]`";
    if (found() == "=" && kTunables.contains(word))
      return fmt::format("the first value stands in parentheses: `{}({})`", before(), after());
    if (found() == "<" && word == "transform") return "parameters have a clause of their own: `template <K(1, 4)>`";
    if (found() == "<" && before() == "]") return "versions stand before the sizes: `M<0..5>[n]`";
    if (found() == ":" && in_matrices) return "the element type stands before the name: `float A[n]`";
    if (word == "template" && kTypesOfC.contains(before()))
      return "parameters are integers with their bounds: `template <K(1, 4)>`";
    if (word == "param" && kTypesOfC.contains(before()))
      return fmt::format("a `param` is an integer: `param {}`", found());
    if (kTunables.contains(word) && kTypesOfC.contains(before()))
      return fmt::format("without `double` or `float` it is an integer: `{} {}`", word, found());
    if (word == "accuracy_bins" && error_.rule == PbccParser::RuleHeader && error_.token < unit_.tokens().size() &&
        unit_.tokens()[error_.token].kind == TokenKind::Integer)
      return "numbers of a list are separated by commas";
    if (!is_name(error_.token) || !in_matrices || error_.rule != PbccParser::RuleHeader) return {};
    if (before() == "]" && after() == "[")
      return fmt::format("matrices of a list are separated by commas{}",
                         has_clause("to") ? "" : ", and `to` stands before the outputs");
    const std::string earlier = error_.token > 1 ? text(error_.token - 2) : std::string();
    if (is_name(error_.token - 1) && (earlier == "," || earlier == word) && after() == "[")
      return "element types are `double`, `float`, `int`, `long`, `short`, `uchar` and `ushort`";
    return {};
  }

  /// The text in the parentheses that open at the error.
  [[nodiscard]] std::string in_parentheses() const {
    std::string out;
    int depth = 0;
    for (std::size_t i = error_.token; i < unit_.tokens().size(); ++i) {
      if (text(i) == ")" && --depth == 0) break;
      if (depth > 0) out += text(i) + (text(i) == "," ? " " : "");
      if (text(i) == "(") ++depth;
    }
    return out;
  }

  /// The text of the unit before the error, without the words that only begin a rule.
  [[nodiscard]] std::string text_before() const {
    std::string out;
    for (std::size_t i = 0; i < error_.token; ++i)
      if (!kOfRules.contains(text(i))) out += text(i) + (text(i) == "," ? " " : "");
    return out;
  }

  [[nodiscard]] bool is_from_expected() const {
    return error_.rule == PbccParser::RuleRuleHeader && !comes_before("from");
  }

  /// Whether the innermost open parenthesis is that of `to ( )`, `from ( )` or `using ( )`.
  [[nodiscard]] bool is_in_list() const {
    int depth = 0;
    for (std::size_t i = error_.token; i-- > 1;) {
      if (text(i) == ")") ++depth;
      if (text(i) == "(" && depth-- == 0) return Words{"to", "from", "using", "through"}.contains(text(i - 1));
    }
    return false;
  }

  /// Whether the condition in which the error is has a relation before it.
  [[nodiscard]] bool is_second_relation() const {
    for (std::size_t i = error_.token; i-- > 0;) {
      if (kRelations.contains(text(i))) return true;
      if (Words{"where", "&&", "||", "and", "or"}.contains(text(i))) return false;
    }
    return false;
  }

  /// Flat by design: one slip after the other.
  [[nodiscard]] std::string in_rule() const {
    if (found().empty() && is_from_expected()) return "a rule that reads nothing says `from ()`";
    if (found() == "where" && is_from_expected()) return "`where` stands behind `from ( )`";
    if (found() == "[" && error_.token > 1 && text(error_.token - 2) == ".")
      return fmt::format("coordinates are in parentheses: `{}({})`", before(), after());
    const bool is_statement = Words{"if", "for", "while"}.contains(before());
    if (found() == "(" && !is_statement && is_name(error_.token - 1) && !is_reserved(UnitKind::Rule, before()) &&
        (is_in_list() || is_from_expected()))
      return fmt::format("cells are written `{}.cell({})`", before(), in_parentheses());
    if (found() == "(" && error_.token == 0)
      return "outputs with names stand behind `to`: `to (OUT.cell(i) out) from …`";
    if (is_from_expected() && is_name(error_.token) && before() == ")" && after() == "from")
      return fmt::format("an output with a name stands behind `to`, in parentheses: `to ({} {}) from …`", text_before(),
                         found());
    if (found() == "[" && is_name(error_.token - 1))
      return comes_after(":") ? fmt::format("parts are written `{}.region(begin, end)`", before())
                              : fmt::format("cells are written `{}.cell({})`", before(), after());
    if (found() == "..") return "a part is written `region(begin, end)`: all begins, then all ends";
    if (kRelations.contains(found()) && comes_before("where") && is_second_relation())
      return fmt::format("a condition has two sides: `… {0} && {0} {1} …`", before(), found());
    if (found() == "," && comes_before("where")) return "conditions are joined by `&&`";
    if (found() == "!") return "conditions have no `!`: write the opposite relation";
    if (Words{"priority", "recursive", "duplicate"}.contains(before())) return fmt::format("write `{}( )`", before());
    if (Words{"to", "from", "using", "through"}.contains(before()) && is_name(error_.token))
      return fmt::format("what stands behind `{}` is in parentheses: `{} (…)`", before(), before());
    if (kOfRules.contains(found()) && error_.rule == PbccParser::RuleRuleHeader && before() == ")")
      return fmt::format("`{}` stands at the beginning of the rule", found());
    if (found() == "or" && error_.token == 0) return "another way to compute an output is a further rule";
    if (found() == "(" && is_statement)
      return "statements stand in the bodies of rules; which instances a rule has is said by `where`";
    if (is_name(error_.token) && !is_reserved(UnitKind::Rule, found()) && is_name(error_.token - 1) && is_in_list())
      return "regions of a list are separated by commas";
    if (is_from_expected() && error_.token > 0 && !is_name(error_.token))
      return "a rule is written `OUT.cell(i) from (IN.cell(i) a) { … }`";
    return {};
  }

  const Unit& unit_;
  const UnitError& error_;
};

}  // namespace

std::string hint_for(const Unit& unit, const UnitError& error) { return Place(unit, error).hint(); }

}  // namespace pb
