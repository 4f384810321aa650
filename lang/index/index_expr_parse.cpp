// SPDX-License-Identifier: MIT
// Reads the text form of IndexExpr: sums, products, floord, min, max. Symbols are C
// identifiers, those of cells' coordinates with a prime: `x'`.
#include <cctype>
#include <charconv>
#include <string_view>

#include "lang/index/index_expr.h"

namespace pb {
namespace {

constexpr int kMaxDepth = 200;

/// Recursive descent over `text`; every function leaves `ok` false at the first surprise.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<IndexExpr> read_all() {
    IndexExpr expr = read_sum(0);
    skip_blanks();
    if (!ok_ || at_ != text_.size()) return std::nullopt;
    return expr;
  }

 private:
  IndexExpr read_sum(int depth) {
    const bool negated = accept('-');
    IndexExpr out = read_product(depth);
    if (negated) out = index_sub(index_const(0), std::move(out));
    while (ok_) {
      if (accept('+')) {
        out = index_add(std::move(out), read_product(depth));
      } else if (accept('-')) {
        out = index_sub(std::move(out), read_product(depth));
      } else {
        break;
      }
    }
    return out;
  }

  IndexExpr read_product(int depth) {
    IndexExpr out = read_atom(depth);
    while (ok_ && accept('*')) out = index_mul(std::move(out), read_atom(depth));
    return out;
  }

  IndexExpr read_atom(int depth) {
    skip_blanks();
    if (depth > kMaxDepth || at_ >= text_.size()) return fail();
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return read_number();
    if (accept('(')) {
      IndexExpr inner = read_sum(depth + 1);
      if (!accept(')')) return fail();
      return inner;
    }
    if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '_') return fail();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    if (at_ < text_.size() && text_[at_] == '\'') ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (!accept('(')) return index_symbol(std::string(name));
    return read_call(name, depth + 1);
  }

  IndexExpr read_call(std::string_view name, int depth) {
    std::vector<IndexExpr> items;
    do items.push_back(read_sum(depth));
    while (ok_ && accept(','));
    if (!accept(')')) return fail();
    if (name == "min") return index_min(items);
    if (name == "max") return index_max(items);
    if (name != "floord" || items.size() != 2) return fail();
    return index_floordiv(items[0], items[1]);
  }

  IndexExpr read_number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return fail();
    at_ = static_cast<std::size_t>(end - text_.data());
    return index_const(value);
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  IndexExpr fail() {
    ok_ = false;
    return index_const(0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

std::optional<IndexExpr> parse_index_expr(const std::string& text) { return Reader(text).read_all(); }

}  // namespace pb
