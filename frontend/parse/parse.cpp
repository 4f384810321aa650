// SPDX-License-Identifier: MIT
#include "frontend/parse/parse.h"

#include <set>
#include <span>
#include <string>
#include <utility>

#include "frontend/parse/antlr_unit.h"
#include "frontend/parse/build_body.h"
#include "frontend/parse/build_header.h"
#include "frontend/parse/outline.h"
#include "frontend/parse/rewrite/accuracy_tests.h"
#include "frontend/parse/rewrite/distinct_rounds.h"
#include "frontend/parse/syntax_error.h"
#include "lang/formula.h"

namespace pb {
namespace {

/// The names of a rule's regions, and those that stand in their coordinates.
std::set<std::string> names_of(const ast::Rule& rule) {
  std::set<std::string> out;
  const auto add = [&](const Formula& formula) {
    for (const std::string& name : names_in(formula)) out.insert(name);
  };
  for (const auto* list : {&rule.outputs, &rule.inputs})
    for (const ast::RegionBinding& binding : *list) {
      if (binding.name) out.insert(binding.name->text);
      if (binding.region.version) add(*binding.region.version);
      for (const Formula& coord : binding.region.coords) add(coord);
    }
  return out;
}

class Parser {
 public:
  Parser(const TokenStream& stream, Diagnostics& diags) : stream_(stream), diags_(diags) {}

  Ast run() {
    Ast ast;
    ast.main_file = stream_.main_file;
    const std::size_t first = diags_.all().size();
    outline_ = make_outline(stream_, diags_);
    note_names_of_blocks();
    for (const ItemOutline& item : outline_.items) {
      if (item.kind == ItemOutline::Kind::Native) {
        ast.items.emplace_back(native(item));
      } else if (auto transform = this->transform(item)) {
        ast.items.emplace_back(std::move(*transform));
      }
    }
    if (ast.transforms().empty() && !diags_.has_errors()) diags_.emit(DiagKind::NoTransform, stream_.end);
    diags_.sort_by_position(first);
    return ast;
  }

 private:
  std::span<const Token> slice(TokenSlice range) const {
    return std::span(stream_.tokens).subspan(range.begin, range.end - range.begin);
  }
  /// The tokens of a body. It holds C++ anyway, so the marks of raw blocks in it are left out.
  std::vector<Token> tokens_of_body(const RuleOutline& outline) const {
    std::vector<Token> out;
    std::string leading;
    for (const Token& token : slice(outline.body)) {
      if (token.kind == TokenKind::NativeBegin || token.kind == TokenKind::NativeEnd) {
        leading += token.leading + std::string(token.text.size(), ' ');
        continue;
      }
      out.push_back(token);
      out.back().leading.insert(0, std::exchange(leading, {}));
    }
    return out;
  }
  Span span_at(std::size_t index) const {
    return index < stream_.tokens.size() ? stream_.tokens[index].expansion : stream_.end;
  }
  std::string_view text_at(std::size_t index) const {
    return index < stream_.tokens.size() ? std::string_view(stream_.tokens[index].text) : "";
  }

  void note_names_of_blocks() {
    for (const ItemOutline& item : outline_.items)
      if (item.kind == ItemOutline::Kind::Native)
        for (const Token& token : slice(item.header))
          if (token.kind == TokenKind::Name) names_of_blocks_.insert(token.text);
  }

  ast::NativeBlock native(const ItemOutline& item) const {
    ast::NativeBlock out;
    out.span = item.span;
    for (const Token& token : slice(item.header))
      out.tokens.push_back({token.text, token.leading, token.spelling, token.expansion});
    return out;
  }

  /// Runs `build` on the parsed unit; syntax errors and too deep nesting are reported.
  template <class Build>
  void with_unit(UnitKind kind, TokenSlice range, const Build& build) {
    const auto tokens = slice(range);
    try {
      Unit unit(kind, tokens, {outline_.transform_names, no_names_});
      unit.parse();
      report_errors(unit, span_at(range.end), text_at(range.end), diags_);
      build(unit);
    } catch (const TreeTooDeep& error) {
      diags_.emit(DiagKind::NestingTooDeep, span_at(range.begin + error.token))
          .arg(kMaxTreeDepth)
          .note("counted in nodes of the tree");
    }
  }

  std::optional<ast::Transform> transform(const ItemOutline& item) {
    const auto kind = item.kind == ItemOutline::Kind::Transform  ? ast::TransformKind::Transform
                      : item.kind == ItemOutline::Kind::Function ? ast::TransformKind::Function
                                                                 : ast::TransformKind::Forward;
    std::optional<ast::Transform> out;
    const std::size_t num_errors = diags_.num_errors();
    with_unit(UnitKind::Header, item.header,
              [&](const Unit& unit) { out = build_transform(unit, kind, span_at(item.header.end), diags_); });
    const bool is_header_good = diags_.num_errors() == num_errors;
    if (is_header_good && item.is_unterminated) {
      const std::string_view text = text_at(item.header.end);
      diags_.emit(DiagKind::SyntaxError, span_at(item.header.end))
          .arg(text.empty() ? "the end of the file" : "`" + std::string(text) + "`")
          .arg("`{` or `;` after the header");
    }
    if (!out) out.emplace();  // its rules are still parsed, because they may have errors of their own
    for (const RuleOutline& r : item.rules) {
      if (kind == ast::TransformKind::Function)
        out->alternatives.push_back(body(r, *out));
      else
        rule(r, *out);
    }
    const bool is_empty = item.rules.empty() && !item.has_lost_rules;
    if (kind == ast::TransformKind::Transform && is_empty && is_header_good && diags_.num_errors() == num_errors)
      diags_.emit(DiagKind::NoRules, out->name.span).arg(out->name.text);
    if (out->name.text.empty()) return std::nullopt;
    return out;
  }

  void rule(const RuleOutline& outline, ast::Transform& transform) {
    std::optional<ast::Rule> rule;
    with_unit(UnitKind::Rule, outline.header, [&](const Unit& unit) {
      if (unit.errors().empty()) rule = build_rule(unit, diags_);
    });
    if (!rule) return;
    std::set<std::string> names = names_of(*rule);
    names.insert(names_of_blocks_.begin(), names_of_blocks_.end());
    const std::vector<Token> tested = with_accuracy_tests(transform, &*rule, tokens_of_body(outline), names, diags_);
    const std::vector<Token> tokens = with_distinct_rounds(transform, *rule, tested, diags_);
    const std::set<std::string> variables = names_of(*rule);
    rule->body = build_body(tokens, outline.braces, outline.is_balanced, {outline_.transform_names, variables}, diags_);
    transform.rules.push_back(std::move(*rule));
  }

  Body body(const RuleOutline& outline, const ast::Transform& transform) {
    const std::vector<Token> tokens =
        with_accuracy_tests(transform, nullptr, tokens_of_body(outline), names_of_blocks_, diags_);
    return build_body(tokens, outline.braces, outline.is_balanced, {outline_.transform_names, no_names_}, diags_);
  }

  const TokenStream& stream_;
  Diagnostics& diags_;
  Outline outline_;
  std::set<std::string> names_of_blocks_;  ///< words of the blocks of C++
  const std::set<std::string> no_names_;
};

}  // namespace

Ast parse(const TokenStream& tokens, const SourceManager&, Diagnostics& diags) { return Parser(tokens, diags).run(); }

}  // namespace pb
