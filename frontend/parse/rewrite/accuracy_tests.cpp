// SPDX-License-Identifier: MIT
#include "frontend/parse/rewrite/accuracy_tests.h"

#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "lang/formula.h"

namespace pb {
namespace {

constexpr std::string_view kWord = "verify_accuracy";

/// Replaces the word in one body.
class Replacer {
 public:
  Replacer(const ast::Transform& transform, const ast::Rule* rule, std::span<const Token> body, Diagnostics& diags)
      : transform_(transform), rule_(rule), body_(body), diags_(diags) {}

  [[nodiscard]] bool is_found() const {
    for (std::size_t i = 0; i < body_.size(); ++i)
      if (is_word(i)) return true;
    return false;
  }

  /// Whether the header or the body declares something of that name.
  [[nodiscard]] bool is_declared() const {
    std::set<std::string> names = names_of_header(transform_);
    for (const ast::MatrixClause& clause : transform_.matrix_clauses)
      for (const ast::Matrix& matrix : clause.matrices) names.insert(matrix.name.text);
    if (names.contains(std::string(kWord))) return true;
    for (std::size_t i = 0; i < body_.size(); ++i)
      if (is_word(i) && (follows_type(i) || text(i + 1) == "=")) return true;
    return false;
  }

  [[nodiscard]] std::vector<Token> run() {
    std::vector<Token> out;
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (is_word(i))
        add_test(out, body_[i]);
      else
        out.push_back(body_[i]);
    }
    return out;
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return i < body_.size() ? std::string_view(body_[i].text) : "";
  }
  /// Whether the token is the word, and neither a member nor a call.
  [[nodiscard]] bool is_word(std::size_t i) const {
    if (body_[i].kind != TokenKind::Name || body_[i].text != kWord || text(i + 1) == "(") return false;
    return i == 0 || (text(i - 1) != "." && text(i - 1) != "->" && text(i - 1) != "::");
  }
  [[nodiscard]] bool follows_type(std::size_t i) const {
    static const std::set<std::string_view> kNoTypes = {"return", "else", "do", "case", "and", "or", "not", "throw"};
    return i > 0 && body_[i - 1].kind == TokenKind::Name && !kNoTypes.contains(text(i - 1));
  }

  /// The body's name of a whole matrix; none if the rule does not bind it.
  [[nodiscard]] std::optional<std::string> name_of(const std::string& matrix) const {
    if (rule_ == nullptr) return matrix;
    for (const auto* list : {&rule_->outputs, &rule_->inputs})
      for (const ast::RegionBinding& binding : *list) {
        const ast::Region& region = binding.region;
        const bool is_whole = region.accessor == ast::Accessor::Whole || region.accessor == ast::Accessor::All;
        if (region.matrix.text == matrix && is_whole && !region.version && binding.name) return binding.name->text;
      }
    return std::nullopt;
  }

  /// The arguments of the metric: all outputs, then all inputs. An error says what is missing.
  [[nodiscard]] std::optional<std::vector<std::string>> arguments(const Token& word) {
    std::vector<std::string> out;
    for (const auto kind : {ast::MatrixClauseKind::To, ast::MatrixClauseKind::From})
      for (const ast::MatrixClause& clause : transform_.matrix_clauses) {
        if (clause.kind != kind) continue;
        for (const ast::Matrix& matrix : clause.matrices) {
          const std::optional<std::string> name = name_of(matrix.name.text);
          if (!name) {
            const std::string list = kind == ast::MatrixClauseKind::To ? "to" : "from";
            refuse(word, "reads `" + matrix.name.text + "`, of which this rule does not bind the whole",
                   "write `" + matrix.name.text + " x` in `" + list + " ( )`, with any name for `x`");
            return std::nullopt;
          }
          out.push_back(*name);
        }
      }
    return out;
  }

  void refuse(const Token& word, const std::string& what, const std::string& hint) {
    if (std::exchange(is_refused_, true)) return;
    diags_.emit(DiagKind::AccuracyTest, word.expansion).arg(what).hint(hint);
  }

  void add_test(std::vector<Token>& out, const Token& word) {
    if (!transform_.accuracy_metric || transform_.accuracy_bins.empty()) {
      const std::string missing = transform_.accuracy_metric ? "accuracy_bins" : "accuracy_metric";
      refuse(word, "compares what the metric says with the target of the bin, but the header has no `" + missing + "`",
             "a header says `accuracy_metric M` and `accuracy_bins b0, b1, …`");
      out.push_back(word);
      return;
    }
    const std::optional<std::vector<std::string>> args = arguments(word);
    if (!args) {
      out.push_back(word);
      return;
    }
    const std::vector<ast::Number>& bins = transform_.accuracy_bins;
    const bool is_less_better = bins.front().value > bins.back().value;
    // In parentheses, because `[` may stand before it.
    std::vector<std::string> texts = {"(", "[", "&", "]", "(", ")", "{", "double", "pb_accuracy", "=", "0", ";"};
    texts.insert(texts.end(), {transform_.accuracy_metric->text, "(", "pb_accuracy"});
    for (const std::string& each : *args) texts.insert(texts.end(), {",", each});
    texts.insert(texts.end(), {")", ";", "return"});
    if (is_less_better) texts.emplace_back("-");
    texts.insert(texts.end(), {"pb_accuracy", ">=", "ACCURACY_TARGET", ";", "}", "(", ")", ")"});
    for (std::string& each : texts) add_token(out, word, std::move(each));
  }

  static void add_token(std::vector<Token>& out, const Token& word, std::string text) {
    Token token = word;
    const char first = text.front();
    if (text == "0")
      token.kind = TokenKind::Integer;
    else if (std::isalpha(static_cast<unsigned char>(first)) == 0 && first != '_')
      token.kind = TokenKind::Punctuator;
    token.text = std::move(text);
    token.leading = out.empty() ? word.leading : " ";
    out.push_back(std::move(token));
  }

  const ast::Transform& transform_;
  const ast::Rule* rule_;
  std::span<const Token> body_;
  Diagnostics& diags_;
  bool is_refused_ = false;
};

}  // namespace

std::vector<Token> with_accuracy_tests(const ast::Transform& transform, const ast::Rule* rule,
                                       std::span<const Token> body, const std::set<std::string>& names,
                                       Diagnostics& diags) {
  Replacer replacer(transform, rule, body, diags);
  if (!replacer.is_found() || names.contains(std::string(kWord)) || replacer.is_declared())
    return {body.begin(), body.end()};
  return replacer.run();
}

}  // namespace pb
