// SPDX-License-Identifier: MIT
#include "frontend/preprocess/if_expression.h"

#include <array>
#include <string_view>

#include "lang/constant_value.h"

namespace pb {
namespace {

constexpr int kMaxDepth = 200;

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr std::array<Operator, 18> kOperators = {{{"||", 1},
                                                  {"&&", 2},
                                                  {"|", 3},
                                                  {"^", 4},
                                                  {"&", 5},
                                                  {"==", 6},
                                                  {"!=", 6},
                                                  {"<", 7},
                                                  {">", 7},
                                                  {"<=", 7},
                                                  {">=", 7},
                                                  {"<<", 8},
                                                  {">>", 8},
                                                  {"+", 9},
                                                  {"-", 9},
                                                  {"*", 10},
                                                  {"/", 10},
                                                  {"%", 10}}};

int precedence_of(std::string_view text) {
  for (const Operator& op : kOperators)
    if (op.text == text) return op.precedence;
  return 0;
}

class Evaluator {
 public:
  Evaluator(std::span<const Token> tokens, std::string& why) : tokens_(tokens), why_(why) {}

  std::optional<std::int64_t> run() {
    if (tokens_.empty()) return fail("nothing follows");
    const auto value = conditional();
    if (value && pos_ < tokens_.size()) return fail("unexpected `" + tokens_[pos_].text + "`");
    return value;
  }

 private:
  using Value = std::optional<std::int64_t>;

  Value fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return std::nullopt;
  }

  std::string_view peek() const { return pos_ < tokens_.size() ? std::string_view(tokens_[pos_].text) : ""; }
  bool take(std::string_view text) {
    if (peek() != text) return false;
    ++pos_;
    return true;
  }

  Value conditional() {
    if (++depth_ > kMaxDepth) return fail("nested too deeply");
    const Value condition = binary(1);
    if (!condition || !take("?")) return leave(condition);
    const Value if_true = conditional();
    if (!if_true) return std::nullopt;
    if (!take(":")) return fail("`?` without `:`");
    const Value if_false = conditional();
    if (!if_false) return std::nullopt;
    return leave(*condition != 0 ? if_true : if_false);
  }

  Value leave(Value value) {
    --depth_;
    return value;
  }

  Value binary(int min_precedence) {
    Value lhs = unary();
    while (lhs) {
      const std::string op(peek());
      const int precedence = precedence_of(op);
      if (precedence < min_precedence || precedence == 0) return lhs;
      ++pos_;
      const Value rhs = binary(precedence + 1);
      if (!rhs) return std::nullopt;
      lhs = apply(op, *lhs, *rhs);
    }
    return lhs;
  }

  Value unary() {
    if (++depth_ > kMaxDepth) return fail("nested too deeply");
    for (const std::string_view op : {"!", "-", "+", "~"}) {
      if (!take(op)) continue;
      const Value operand = unary();
      if (!operand) return std::nullopt;
      const auto bits = static_cast<std::uint64_t>(*operand);
      if (op == "!") return leave(*operand == 0);
      if (op == "-") return leave(static_cast<std::int64_t>(0 - bits));
      if (op == "~") return leave(static_cast<std::int64_t>(~bits));
      return leave(operand);
    }
    return leave(primary());
  }

  Value primary() {
    if (pos_ >= tokens_.size()) return fail("it ends too early");
    if (take("(")) {
      const Value value = conditional();
      if (value && !take(")")) return fail("`(` is never closed");
      return value;
    }
    const Token& token = tokens_[pos_++];
    if (token.kind == TokenKind::Name) return token.text == "true" ? 1 : 0;
    if (token.kind != TokenKind::Integer) return fail("unexpected `" + token.text + "`");
    return integer(token.text);
  }

  Value integer(const std::string& text) {
    const auto value = literal_magnitude(text);
    return value ? Value(static_cast<std::int64_t>(*value)) : fail("`" + text + "` is no integer of 64 bits");
  }

  // The value of an operation. Flat by design: one line per operator. Sums and products wrap.
  Value apply(std::string_view op, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == ">") return a > b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    if (op == "+") return static_cast<std::int64_t>(ua + ub);
    if (op == "-") return static_cast<std::int64_t>(ua - ub);
    if (op == "*") return static_cast<std::int64_t>(ua * ub);
    if (op == "<<" || op == ">>") {
      if (b < 0 || b > 63) return fail("shift by " + std::to_string(b));
      return op == "<<" ? static_cast<std::int64_t>(ua << b) : a >> b;
    }
    if (b == 0) return fail("division by zero");
    if (b == -1) return op == "/" ? static_cast<std::int64_t>(0 - ua) : 0;
    return op == "/" ? a / b : a % b;
  }

  std::span<const Token> tokens_;
  std::string& why_;
  std::size_t pos_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> evaluate_condition(std::span<const Token> tokens, std::string& why) {
  return Evaluator(tokens, why).run();
}

}  // namespace pb
