// SPDX-License-Identifier: MIT
#include "frontend/parse/rewrite/round_jumps.h"

#include <cstddef>
#include <string_view>

namespace pb {
namespace {

/// Reads statements as far as jumps depend on them. The body need not be right: the parser says later what is wrong.
class JumpReader {
 public:
  explicit JumpReader(std::span<const Token> body) : body_(body) {}

  std::vector<Token> run() {
    while (at_ < body_.size()) {
      read_statement({});
      // A brace that closes nothing: the parser reports it.
      (void)skip("}");
    }
    return std::move(found_);
  }

 private:
  /// What is around a statement.
  struct Around {
    bool takes_break = false, takes_continue = false;
  };

  [[nodiscard]] bool is_at(std::string_view text) const { return at_ < body_.size() && body_[at_].text == text; }
  [[nodiscard]] bool skip(std::string_view text) {
    const bool is_it = is_at(text);
    at_ += is_it ? 1 : 0;
    return is_it;
  }

  [[nodiscard]] bool begins_group() const { return is_at("(") || is_at("[") || is_at("{"); }

  void read_statement(Around around) {
    skip_labels();
    if (skip("{")) {
      while (at_ < body_.size() && !skip("}")) read_statement(around);
    } else if (skip("if")) {
      while (at_ < body_.size() && !begins_group()) ++at_;  // `constexpr`
      if (is_at("(")) skip_group();
      read_statement(around);
      if (skip("else")) read_statement(around);
    } else if (skip("for") || skip("while")) {
      skip_group();
      read_statement({true, true});
    } else if (skip("for_enough")) {
      if (is_at("(")) skip_group();
      read_statement({true, true});
    } else if (skip("do")) {
      read_statement({true, true});
      skip_expression();
    } else if (skip("switch")) {
      skip_group();
      read_statement({true, around.takes_continue});
    } else if (skip("try")) {
      read_statement(around);
      while (skip("catch")) {
        skip_group();
        read_statement(around);
      }
    } else {
      const bool leaves =
          (is_at("break") && !around.takes_break) || (is_at("continue") && !around.takes_continue) || is_at("return");
      if (leaves) found_.push_back(body_[at_]);
      skip_expression();
    }
  }

  /// Skips what may stand before any statement: labels, those of a `switch`, too, and attributes.
  void skip_labels() {
    while (at_ + 1 < body_.size()) {
      const std::string& next = body_[at_ + 1].text;
      if (is_at("[") && next == "[")
        skip_group();
      else if (is_at("case") || (body_[at_].kind == TokenKind::Name && next == ":"))
        skip_label();
      else
        return;
    }
  }

  /// Skips as far as the `:` that ends a label: each `?` before it has another one.
  void skip_label() {
    int num_open = 1;
    while (num_open > 0 && at_ < body_.size() && !is_at(";") && !is_at("}")) {
      num_open += is_at("?") ? 1 : is_at(":") ? -1 : 0;
      if (begins_group())
        skip_group();
      else
        ++at_;
    }
  }

  /// Skips `(…)`, `[…]` or `{…}` where one begins.
  void skip_group() {
    int depth = 0;
    do {
      if (begins_group()) ++depth;
      if (is_at(")") || is_at("]") || is_at("}")) --depth;
      at_ += at_ < body_.size() ? 1 : 0;
    } while (depth > 0 && at_ < body_.size());
  }

  /// Skips what ends with `;`, or stands before the end of a block.
  void skip_expression() {
    while (at_ < body_.size() && !is_at("}")) {
      if (skip(";")) return;
      if (begins_group())
        skip_group();
      else
        ++at_;
    }
  }

  std::span<const Token> body_;
  std::size_t at_ = 0;
  std::vector<Token> found_;
};

}  // namespace

std::vector<Token> jumps_out_of(std::span<const Token> body) { return JumpReader(body).run(); }

}  // namespace pb
