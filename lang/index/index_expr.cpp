// SPDX-License-Identifier: MIT
#include "lang/index/index_expr.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "lang/check.h"

namespace pb {
namespace {

using Op = IndexExpr::Op;

IndexExpr make_node(Op op, std::vector<IndexExpr> operands) {
  IndexExpr out;
  out.op = op;
  out.operands = std::move(operands);
  return out;
}

struct LinearTerm {
  IndexExpr atom;  // neither a sum nor a product with a constant
  std::int64_t factor = 0;
};

/// A sum of atoms with integer factors, in order of first appearance.
struct LinearSum {
  std::vector<LinearTerm> terms;
  std::int64_t constant = 0;
};

/// Adds `factor * expr` to `sum`; false on overflow of a coefficient.
bool add_to(LinearSum& sum, const IndexExpr& expr, std::int64_t factor) {
  if (expr.op == Op::Const) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(expr.value, factor, &product) &&
           !__builtin_add_overflow(sum.constant, product, &sum.constant);
  }
  if (expr.op == Op::Add) return add_to(sum, expr.operands[0], factor) && add_to(sum, expr.operands[1], factor);
  if (expr.op == Op::Sub) {
    return factor != std::numeric_limits<std::int64_t>::min() && add_to(sum, expr.operands[0], factor) &&
           add_to(sum, expr.operands[1], -factor);
  }
  if (expr.op == Op::Mul) {
    for (const int side : {0, 1}) {
      if (expr.operands[side].op != Op::Const) continue;
      std::int64_t product = 0;
      return !__builtin_mul_overflow(expr.operands[side].value, factor, &product) &&
             add_to(sum, expr.operands[1 - side], product);
    }
  }
  for (LinearTerm& term : sum.terms)
    if (term.atom == expr) return !__builtin_add_overflow(term.factor, factor, &term.factor);
  sum.terms.push_back({expr, factor});
  return true;
}

IndexExpr scaled(const IndexExpr& atom, std::int64_t factor) {
  return factor == 1 ? atom : make_node(Op::Mul, {index_const(factor), atom});
}

/// Positive terms first, then negative ones, then the constant: `w-KWIDTH+1`.
IndexExpr from_sum(const LinearSum& sum) {
  std::optional<IndexExpr> out;
  for (const LinearTerm& term : sum.terms) {
    if (term.factor <= 0) continue;
    IndexExpr item = scaled(term.atom, term.factor);
    out = out ? make_node(Op::Add, {std::move(*out), std::move(item)}) : std::move(item);
  }
  std::int64_t constant = sum.constant;
  if (!out && constant > 0) out = index_const(std::exchange(constant, 0));
  for (const LinearTerm& term : sum.terms) {
    if (term.factor >= 0) continue;
    if (!out && term.factor != std::numeric_limits<std::int64_t>::min()) {
      out = make_node(Op::Mul, {index_const(term.factor), term.atom});
      continue;
    }
    out = make_node(Op::Sub, {out ? std::move(*out) : index_const(0), scaled(term.atom, -term.factor)});
  }
  if (!out) return index_const(constant);
  if (constant == 0) return *out;
  if (constant > 0 || constant == std::numeric_limits<std::int64_t>::min())
    return make_node(Op::Add, {std::move(*out), index_const(constant)});
  return make_node(Op::Sub, {std::move(*out), index_const(-constant)});
}

IndexExpr add_scaled(IndexExpr a, IndexExpr b, std::int64_t factor_of_b) {
  LinearSum sum;
  if (add_to(sum, a, 1) && add_to(sum, b, factor_of_b)) return from_sum(sum);
  return make_node(factor_of_b == 1 ? Op::Add : Op::Sub, {std::move(a), std::move(b)});
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

/// The difference a - b if it is a constant.
std::optional<std::int64_t> constant_difference(const IndexExpr& a, const IndexExpr& b) {
  const IndexExpr difference = index_sub(a, b);
  if (difference.op == Op::Const) return difference.value;
  return std::nullopt;
}

IndexExpr make_extremum(Op op, const std::vector<IndexExpr>& items) {
  PB_CHECK(!items.empty(), "a minimum or maximum needs an operand");
  std::vector<IndexExpr> flat;
  const auto add = [&](const IndexExpr& item) {
    for (IndexExpr& known : flat) {
      const auto difference = constant_difference(item, known);
      if (!difference) continue;
      if ((op == Op::Min) == (*difference < 0)) known = item;
      return;
    }
    flat.push_back(item);
  };
  for (const IndexExpr& item : items) {
    if (item.op != op) {
      add(item);
      continue;
    }
    for (const IndexExpr& inner : item.operands) add(inner);
  }
  return flat.size() == 1 ? flat.front() : make_node(op, std::move(flat));
}

}  // namespace

IndexExpr index_const(std::int64_t value) {
  IndexExpr out;
  out.value = value;
  return out;
}

IndexExpr index_symbol(std::string name) {
  IndexExpr out;
  out.op = Op::Symbol;
  out.symbol = std::move(name);
  return out;
}

IndexExpr index_add(IndexExpr a, IndexExpr b) { return add_scaled(std::move(a), std::move(b), 1); }
IndexExpr index_sub(IndexExpr a, IndexExpr b) { return add_scaled(std::move(a), std::move(b), -1); }

namespace {

/// If `expr` is a product that begins with a constant, removes the constant from it and returns it; else returns 1.
std::int64_t take_factor(IndexExpr& expr) {
  if (expr.op != Op::Mul || expr.operands[0].op != Op::Const) return 1;
  const std::int64_t factor = expr.operands[0].value;
  IndexExpr rest = std::move(expr.operands[1]);
  expr = std::move(rest);
  return factor;
}

/// A product of two unknowns: constants stand in front, so that `2*n*m` and `n*m` have a term in common.
IndexExpr product(IndexExpr a, IndexExpr b) {
  IndexExpr x = a, y = b;
  std::int64_t factor = 0;
  if (__builtin_mul_overflow(take_factor(x), take_factor(y), &factor))
    return make_node(Op::Mul, {std::move(a), std::move(b)});
  return scaled(make_node(Op::Mul, {std::move(x), std::move(y)}), factor);
}

}  // namespace

IndexExpr index_mul(IndexExpr a, IndexExpr b) {
  if (a.op != Op::Const && b.op != Op::Const) return product(std::move(a), std::move(b));
  if (b.op == Op::Const) std::swap(a, b);
  LinearSum sum;
  if (add_to(sum, b, a.value)) return from_sum(sum);
  return make_node(Op::Mul, {std::move(a), std::move(b)});
}

IndexExpr index_floordiv(IndexExpr a, IndexExpr b) {
  if (b.is_const(1)) return a;
  if (b.op == Op::Const && b.value != 0 && a.op == Op::Const && b.value != -1)
    return index_const(floor_divide(a.value, b.value));
  if (b.op == Op::Const && b.value > 1) {
    LinearSum sum;
    const auto divides = [&](std::int64_t v) { return v % b.value == 0; };
    if (add_to(sum, a, 1) && divides(sum.constant) &&
        std::all_of(sum.terms.begin(), sum.terms.end(), [&](const LinearTerm& t) { return divides(t.factor); })) {
      for (LinearTerm& term : sum.terms) term.factor /= b.value;
      sum.constant /= b.value;
      return from_sum(sum);
    }
  }
  return make_node(Op::FloorDiv, {std::move(a), std::move(b)});
}

IndexExpr index_min(const std::vector<IndexExpr>& items) { return make_extremum(Op::Min, items); }
IndexExpr index_max(const std::vector<IndexExpr>& items) { return make_extremum(Op::Max, items); }

namespace {

enum class Binding : std::uint8_t { Sum, Product, Atom };

void print(const IndexExpr& expr, Binding context, std::string& out);

void print_infix(const IndexExpr& expr, char sign, Binding own, Binding right, Binding context, std::string& out) {
  const bool parens = context > own;
  if (parens) out += '(';
  print(expr.operands[0], own, out);
  out += sign;
  print(expr.operands[1], right, out);
  if (parens) out += ')';
}

void print_call(const char* name, const IndexExpr& expr, std::string& out) {
  out += name;
  out += '(';
  for (std::size_t i = 0; i < expr.operands.size(); ++i) {
    if (i != 0) out += ", ";
    print(expr.operands[i], Binding::Sum, out);
  }
  out += ')';
}

void print(const IndexExpr& expr, Binding context, std::string& out) {
  switch (expr.op) {
    case Op::Const: {
      const bool parens = expr.value < 0 && context > Binding::Sum;
      out += parens ? "(" + std::to_string(expr.value) + ")" : std::to_string(expr.value);
      return;
    }
    case Op::Symbol:
      out += expr.symbol;
      return;
    case Op::Add:
      print_infix(expr, '+', Binding::Sum, Binding::Product, context, out);
      return;
    case Op::Sub:
      print_infix(expr, '-', Binding::Sum, Binding::Product, context, out);
      return;
    case Op::Mul: {
      if (expr.operands[0].is_const(-1) && context == Binding::Sum) {
        out += '-';
        print(expr.operands[1], Binding::Atom, out);
        return;
      }
      const bool leading_minus = expr.operands[0].op == Op::Const && expr.operands[0].value < 0;
      if (leading_minus && context == Binding::Sum) {
        out += std::to_string(expr.operands[0].value) + "*";
        print(expr.operands[1], Binding::Atom, out);
        return;
      }
      print_infix(expr, '*', Binding::Product, Binding::Atom, context, out);
      return;
    }
    case Op::FloorDiv:
      print_call("floord", expr, out);
      return;
    case Op::Min:
      print_call("min", expr, out);
      return;
    case Op::Max:
      print_call("max", expr, out);
      return;
  }
}

}  // namespace

std::string to_string(const IndexExpr& expr) {
  std::string out;
  print(expr, Binding::Sum, out);
  return out;
}

namespace {

std::optional<std::int64_t> combine(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (op) {
    case Op::Add:
      return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Op::Sub:
      return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Op::Mul:
      return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Op::FloorDiv:
      if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
      return floor_divide(a, b);
    case Op::Min:
      return std::min(a, b);
    case Op::Max:
      return std::max(a, b);
    case Op::Const:
    case Op::Symbol:
      break;
  }
  PB_CHECK(false, "a leaf combines nothing");
  return std::nullopt;
}

void collect_symbols(const IndexExpr& expr, std::vector<std::string>& out) {
  if (expr.op == Op::Symbol && std::find(out.begin(), out.end(), expr.symbol) == out.end()) out.push_back(expr.symbol);
  for (const IndexExpr& operand : expr.operands) collect_symbols(operand, out);
}

}  // namespace

std::optional<std::int64_t> evaluate(const IndexExpr& expr, const SymbolValues& values) {
  if (expr.op == Op::Const) return expr.value;
  if (expr.op == Op::Symbol) {
    for (const auto& [name, value] : values)
      if (name == expr.symbol) return value;
    return std::nullopt;
  }
  std::optional<std::int64_t> out = evaluate(expr.operands[0], values);
  for (std::size_t i = 1; i < expr.operands.size() && out; ++i) {
    const auto item = evaluate(expr.operands[i], values);
    if (!item) return std::nullopt;
    out = combine(expr.op, *out, *item);
  }
  return out;
}

std::vector<std::string> symbols_of(const IndexExpr& expr) {
  std::vector<std::string> out;
  collect_symbols(expr, out);
  return out;
}

IndexExpr substitute(const IndexExpr& expr, const std::vector<std::pair<std::string, IndexExpr>>& replacements) {
  if (expr.op == Op::Const) return expr;
  if (expr.op == Op::Symbol) {
    for (const auto& [name, replacement] : replacements)
      if (name == expr.symbol) return replacement;
    return expr;
  }
  std::vector<IndexExpr> items;
  items.reserve(expr.operands.size());
  for (const IndexExpr& operand : expr.operands) items.push_back(substitute(operand, replacements));
  switch (expr.op) {
    case Op::Add:
      return index_add(items[0], items[1]);
    case Op::Sub:
      return index_sub(items[0], items[1]);
    case Op::Mul:
      return index_mul(items[0], items[1]);
    case Op::FloorDiv:
      return index_floordiv(items[0], items[1]);
    case Op::Min:
      return index_min(items);
    case Op::Max:
      return index_max(items);
    case Op::Const:
    case Op::Symbol:
      break;
  }
  return expr;
}

std::optional<std::int64_t> affine_coefficient(const IndexExpr& expr, std::string_view symbol) {
  if (expr.op == Op::Const) return 0;
  if (expr.op == Op::Symbol) return expr.symbol == symbol ? 1 : 0;
  std::vector<std::int64_t> parts;
  for (const IndexExpr& operand : expr.operands) {
    const std::optional<std::int64_t> part = affine_coefficient(operand, symbol);
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  if (std::all_of(parts.begin(), parts.end(), [](std::int64_t part) { return part == 0; })) return 0;
  if (expr.op == Op::Add) return parts[0] + parts[1];
  if (expr.op == Op::Sub) return parts[0] - parts[1];
  if (expr.op != Op::Mul) return std::nullopt;
  if (expr.operands[1].op == Op::Const) return parts[0] * expr.operands[1].value;
  if (expr.operands[0].op == Op::Const) return parts[1] * expr.operands[0].value;
  return std::nullopt;
}

}  // namespace pb
