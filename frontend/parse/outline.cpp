// SPDX-License-Identifier: MIT
#include "frontend/parse/outline.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "frontend/parse/token_view.h"
#include "lang/operators.h"

namespace pb {
namespace {

constexpr std::size_t kMaxNesting = 256;

std::string_view closer_of(std::string_view opener) { return opener == "(" ? ")" : opener == "[" ? "]" : "}"; }
/// Counts things that nest without brackets: signs in a row, and `<` that open template arguments.
struct RunCounter {
  std::size_t num_signs = 0;
  std::size_t num_angles = 0;
  bool exceeds_limit(std::string_view text) {
    const bool is_sign = find_unary_op(text, OperatorPlace::Prefix).has_value();
    num_signs = is_sign ? num_signs + 1 : 0;
    if (text == "<") ++num_angles;
    if (text == ";" || text == "{" || text == "}") num_angles = 0;
    if (text == ">" && num_angles > 0) --num_angles;
    return num_signs > kMaxNesting || num_angles > kMaxNesting;
  }
};

/// Where braces do not match, points at the first pair in `slice` that is indented differently.
void label_indentation(const TokenView& tokens, TokenSlice slice, DiagBuilder diagnostic) {
  std::vector<std::size_t> open;
  for (std::size_t i = slice.begin; i < slice.end; ++i) {
    if (tokens.is(i, "{")) open.push_back(i);
    if (!tokens.is(i, "}") || open.empty()) continue;
    const std::size_t opener = open.back();
    open.pop_back();
    if (!tokens.is_first_of_line(i) || tokens.indentation(i) == tokens.indentation(opener)) continue;
    if (tokens.indentation(i) < tokens.indentation(opener)) {
      diagnostic.label(tokens.span_at(opener), "the `}` of this one is indented less: it may belong to another");
    } else {
      diagnostic.label(tokens.span_at(i),
                       "this one is indented more than what it closes: a `{` may be missing before it");
    }
    return;
  }
}

class Outliner {
 public:
  Outliner(const TokenStream& stream, Diagnostics& diags) : tokens_(stream), diags_(diags) {}

  Outline run() {
    while (pos_ < tokens_.size()) {
      const TokenKind kind = tokens_[pos_].kind;
      if (kind == TokenKind::NativeBegin)
        native();
      else if (tokens_.is(pos_, ";"))
        ++pos_;
      else if (tokens_.is(pos_, "}") || kind == TokenKind::NativeEnd || kind == TokenKind::NativeLine)
        stray();
      else
        item();
    }
    return std::move(out_);
  }

 private:
  /// Whether the token ends a header, of a transform or of a rule, because no header continues with it.
  bool ends_header(std::size_t index) const {
    return tokens_.is(index, "{") || tokens_.is(index, "}") || tokens_.is(index, ";") || tokens_.is_native(index);
  }

  /// Whether a comment or a string swallowed the rest of the file. Then nothing is reported about what seems to follow.
  bool is_swallowed() const {
    return diags_.has(DiagKind::UnterminatedComment) || diags_.has(DiagKind::UnterminatedString);
  }
  void report_unclosed(std::size_t open, const std::string& what) {
    if (is_swallowed()) return;
    DiagBuilder diagnostic = diags_.emit(DiagKind::UnclosedBrace, tokens_.span_at(open))
                                 .arg(what)
                                 .label(tokens_.span_at(pos_), "before this");
    if (tokens_.is(open, "{")) label_indentation(tokens_, {item_begin_, std::min(pos_, tokens_.size())}, diagnostic);
  }

  void stray() {
    DiagBuilder diagnostic = diags_.emit(DiagKind::StrayToken, tokens_.span_at(pos_)).arg(tokens_.found_at(pos_));
    if (tokens_.is(pos_, "}")) label_indentation(tokens_, {item_begin_, std::min(pos_, tokens_.size())}, diagnostic);
    const std::string text = tokens_[pos_].text;
    while (tokens_.is(pos_, text)) ++pos_;
  }

  void native() {
    ItemOutline item;
    item.kind = ItemOutline::Kind::Native;
    item.header = {pos_ + 1, pos_ + 1};
    item.span = tokens_.span_at(pos_);
    while (pos_ < tokens_.size() && tokens_[pos_].kind != TokenKind::NativeEnd) ++pos_;
    item.header.end = pos_;
    item.span = join(item.span, tokens_.span_at(pos_ < tokens_.size() ? pos_ : pos_ - 1));
    if (pos_ < tokens_.size()) ++pos_;
    out_.items.push_back(std::move(item));
  }

  void item() {
    ItemOutline item;
    item.header.begin = item_begin_ = pos_;
    bool is_function = false;
    bool has_name = false;
    bool has_from_or_to = false;
    while (pos_ < tokens_.size() && !ends_header(pos_)) {
      // A header that never got its braces ends where the next one begins.
      if (has_name && has_from_or_to && tokens_.begins_header(pos_) && tokens_.is_at_line_start(pos_)) break;
      if (has_name && has_from_or_to && tokens_.begins_rule(pos_)) break;
      if (tokens_.is(pos_, "transform") || tokens_.is(pos_, "function")) note_name();
      is_function = is_function || tokens_.is(pos_, "function");
      has_name = has_name || tokens_.is(pos_, "transform") || tokens_.is(pos_, "function");
      has_from_or_to = has_from_or_to || tokens_.is(pos_, "from") || tokens_.is(pos_, "to");
      ++pos_;
    }
    item.header.end = pos_;
    const bool is_good = check_brackets(item.header) && !(has_name && tokens_.is(pos_, ";") && is_cut_short());
    if (tokens_.begins_rule(pos_) && !is_function) {
      diags_.emit(DiagKind::SyntaxError, tokens_.span_at(pos_))
          .arg(tokens_.found_at(pos_))
          .arg("a header clause such as `from` or `to`, or `{`")
          .hint("the rules of a transform stand in braces");
      item.kind = ItemOutline::Kind::Transform;
      rules(item, pos_);
    } else if (tokens_.is(pos_, "{")) {
      item.kind = is_function ? ItemOutline::Kind::Function : ItemOutline::Kind::Transform;
      if (is_function)
        alternatives(item);
      else
        rules(item, pos_++);
    } else if (tokens_.is(pos_, ";")) {
      item.kind = ItemOutline::Kind::Forward;
      ++pos_;
    } else {
      item.kind = ItemOutline::Kind::Forward;
      item.is_unterminated = true;
    }
    if (is_good) out_.items.push_back(std::move(item));
  }

  /// Whether the header goes on after a `;`. If so, reports that, and `pos_` then stands at its `{`. True if clauses
  /// were lost.
  bool is_cut_short() {
    std::size_t end = pos_ + 1;
    while (end < tokens_.size() && !ends_header(end)) {
      if (tokens_.is(end, "transform") || tokens_.is(end, "function")) return false;
      ++end;
    }
    if (!tokens_.is(end, "{")) return false;
    diags_.emit(DiagKind::SyntaxError, tokens_.span_at(pos_))
        .arg("`;`")
        .arg("a header clause such as `from` or `to`, or `{`")
        .hint("`;` ends a declaration without rules: remove it");
    return end != std::exchange(pos_, end) + 1;
  }

  void note_name() {
    if (tokens_.is_name(pos_ + 1)) out_.transform_names.insert(tokens_[pos_ + 1].text);
  }

  void alternatives(ItemOutline& item) {
    item.rules.push_back({{pos_, pos_}, {}, {}, true});
    body(item.rules.back());
    while (tokens_.is(pos_, "or")) {
      const std::size_t word = pos_++;
      if (!tokens_.is(pos_, "{")) {
        diags_.emit(DiagKind::SyntaxError, tokens_.span_at(pos_))
            .arg(tokens_.found_at(pos_))
            .arg("`{` after `or`")
            .label(tokens_.span_at(word), "after this");
        while (pos_ < tokens_.size() && !tokens_.begins_header(pos_) && !tokens_.is_native(pos_)) ++pos_;
        return;
      }
      item.rules.push_back({{pos_, pos_}, {}, {}, true});
      body(item.rules.back());
    }
  }

  /// Reads the rules of a transform. `open` is the token of its `{`, behind which `pos_` stands.
  void rules(ItemOutline& item, std::size_t open) {
    while (!tokens_.is(pos_, "}")) {
      if (pos_ >= tokens_.size() || tokens_.begins_header(pos_)) {
        report_unclosed(open, "`{` of the transform");
        return;
      }
      if (tokens_.is(pos_, ";"))
        ++pos_;
      else if (tokens_.is_native(pos_))
        native_inside();
      else if (!rule(item))
        return;
    }
    ++pos_;
    if (!tokens_.is(pos_, "or")) return;
    const std::string name = tokens_.name_of(item.header);
    diags_.emit(DiagKind::OrAfterTransform, tokens_.span_at(pos_))
        .arg(name)
        .hint("write the other way as a further rule of the transform");
    ++pos_;
    RuleOutline dropped;
    if (tokens_.is(pos_, "{")) body(dropped);
  }

  void native_inside() {
    diags_.emit(DiagKind::NativeInsideBraces, tokens_.span_at(pos_));
    while (pos_ < tokens_.size() && tokens_[pos_].kind != TokenKind::NativeEnd) ++pos_;
    if (pos_ < tokens_.size()) ++pos_;
  }

  /// Reads a rule. Returns false if its body is never closed; then the transform is not closed, either.
  bool rule(ItemOutline& item) {
    RuleOutline rule;
    rule.header.begin = pos_;
    while (pos_ < tokens_.size() && !ends_header(pos_)) {
      if (tokens_.begins_header(pos_) && tokens_.is_at_line_start(pos_)) break;
      ++pos_;
    }
    rule.header.end = pos_;
    if (!tokens_.is(pos_, "{")) {
      auto diagnostic = diags_.emit(DiagKind::MissingBody, tokens_.span_of(rule.header)).arg("rule");
      diagnostic.label(tokens_.span_at(pos_), "expected `{` before this");
      item.has_lost_rules = true;
      if (tokens_.has(rule.header, "return"))
        diagnostic.hint("a body stands in braces: `{ return a; }`");
      else if (!tokens_.has(rule.header, "from"))
        diagnostic.hint("a rule is written `OUT.cell(i) from (IN.cell(i) a) { return a; }`");
      return true;
    }
    const bool is_good = check_brackets(rule.header);
    const bool is_closed = body(rule);
    if (is_good)
      item.rules.push_back(rule);
    else
      item.has_lost_rules = true;
    return is_closed;
  }

  /// Reports the first bracket of a header that has no partner, or nesting beyond the limit.
  bool check_brackets(TokenSlice slice) {
    std::vector<std::size_t> open;
    RunCounter run;
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
      if (tokens_.is(i, "(") || tokens_.is(i, "[")) open.push_back(i);
      if (run.exceeds_limit(tokens_[i].text) || open.size() > kMaxNesting) {
        diags_.emit(DiagKind::NestingTooDeep, tokens_.span_at(i)).arg(kMaxNesting);
        return false;
      }
      if (!open.empty() && tokens_.is(i, closer_of(tokens_[open.back()].text))) open.pop_back();
    }
    return true;  // for brackets that do not match, the grammar's syntax error has a better message
  }

  /// Takes `{ … }`; `pos_` then stands after it. Returns false if it is never closed.
  bool body(RuleOutline& rule) {
    const std::size_t first = pos_;
    std::vector<std::size_t> open{pos_++};
    bool is_too_deep = false;
    RunCounter run;
    rule.body = {pos_, pos_};
    for (; pos_ < tokens_.size() && !open.empty(); ++pos_) {
      if (tokens_.begins_header(pos_) && tokens_.is_at_line_start(pos_)) break;
      const bool exceeds = run.exceeds_limit(tokens_[pos_].text) || open.size() > kMaxNesting;
      if (exceeds && !std::exchange(is_too_deep, true))
        diags_.emit(DiagKind::NestingTooDeep, tokens_.span_at(pos_)).arg(kMaxNesting);
      if (tokens_.is(pos_, "(") || tokens_.is(pos_, "[") || tokens_.is(pos_, "{")) {
        open.push_back(pos_);
      } else if (tokens_.is(pos_, ")") || tokens_.is(pos_, "]") || tokens_.is(pos_, "}")) {
        rule.is_balanced = close(open) && rule.is_balanced;
      }
    }
    if (!open.empty()) {
      rule.is_balanced = false;
      report_unclosed(open.back(), quoted_token(tokens_[open.back()].text));
    }
    rule.body.end = open.empty() ? pos_ - 1 : pos_;
    if (is_too_deep) rule.body.end = rule.body.begin;
    rule.braces = join(tokens_.span_at(first), tokens_.span_at(pos_ - 1));
    return open.empty();
  }

  /// Takes the closing bracket at `pos_` and pops its partner. Returns false if other brackets stand between them,
  /// which is reported.
  bool close(std::vector<std::size_t>& open) {
    const std::string_view closer = tokens_[pos_].text;
    if (closer_of(tokens_[open.back()].text) == closer) {
      open.pop_back();
      return true;
    }
    if (closer != "}") {
      diags_.emit(DiagKind::UnmatchedBracket, tokens_.span_at(pos_))
          .arg(quoted_token(closer))
          .arg(quoted_token(tokens_[open.back()].text))
          .label(tokens_.span_at(open.back()), "opened here");
      return false;
    }
    report_unclosed(open.back(), quoted_token(tokens_[open.back()].text));
    while (!tokens_.is(open.back(), "{")) open.pop_back();
    open.pop_back();
    return false;
  }

  TokenView tokens_;
  Diagnostics& diags_;
  Outline out_;
  std::size_t pos_ = 0;
  std::size_t item_begin_ = 0;
};

}  // namespace

Outline make_outline(const TokenStream& stream, Diagnostics& diags) { return Outliner(stream, diags).run(); }

}  // namespace pb
