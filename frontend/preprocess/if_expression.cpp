// SPDX-License-Identifier: MIT
#include "frontend/preprocess/if_expression.h"

#include <string_view>

#include "lang/body/constant_value.h"
#include "lang/check.h"
#include "lang/operators.h"

namespace pb {
namespace {

constexpr int kMaxDepth = 200;

/// The operator, if conditions of the preprocessor have it: all but the comma.
std::optional<BinaryOp> find_operator(std::string_view text) {
  const auto op = find_binary_op(text);
  return op && precedence_of(*op) >= Precedence::Or && spelling(*op) == text ? op : std::nullopt;
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
    const Value condition = binary(Precedence::Or);
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

  Value binary(Precedence min_precedence) {
    Value lhs = unary();
    while (lhs) {
      const auto op = find_operator(peek());
      if (!op || precedence_of(*op) < min_precedence) return lhs;
      ++pos_;
      const Value rhs = binary(tighter(precedence_of(*op)));
      if (!rhs) return std::nullopt;
      lhs = apply(*op, *lhs, *rhs);
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

  // The value of an operation. Flat by design: one case per operator. Sums and products wrap.
  Value apply(BinaryOp op, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    switch (op) {
      case BinaryOp::LogicalOr:
        return a != 0 || b != 0;
      case BinaryOp::LogicalAnd:
        return a != 0 && b != 0;
      case BinaryOp::BitOr:
        return a | b;
      case BinaryOp::BitXor:
        return a ^ b;
      case BinaryOp::BitAnd:
        return a & b;
      case BinaryOp::Equal:
        return a == b;
      case BinaryOp::NotEqual:
        return a != b;
      case BinaryOp::Less:
        return a < b;
      case BinaryOp::Greater:
        return a > b;
      case BinaryOp::LessEqual:
        return a <= b;
      case BinaryOp::GreaterEqual:
        return a >= b;
      case BinaryOp::Add:
        return static_cast<std::int64_t>(ua + ub);
      case BinaryOp::Sub:
        return static_cast<std::int64_t>(ua - ub);
      case BinaryOp::Mul:
        return static_cast<std::int64_t>(ua * ub);
      case BinaryOp::Shl:
      case BinaryOp::Shr:
        if (b < 0 || b > 63) return fail("shift by " + std::to_string(b));
        return op == BinaryOp::Shl ? static_cast<std::int64_t>(ua << b) : a >> b;
      case BinaryOp::Div:
        if (b == 0) return fail("division by zero");
        return b == -1 ? static_cast<std::int64_t>(0 - ua) : a / b;
      case BinaryOp::Mod:
        if (b == 0) return fail("division by zero");
        return b == -1 ? 0 : a % b;
      case BinaryOp::Comma:
        break;
    }
    PB_CHECK(false, "conditions of the preprocessor have no comma");
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
