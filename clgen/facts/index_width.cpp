// SPDX-License-Identifier: MIT
#include "clgen/facts/index_width.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/seeded_fault.h"
#include "clgen/facts/names.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

using Op = IndexExpr::Op;
__extension__ typedef __int128 Wide;

/// Stands for infinity: larger than any limit that a value is compared with.
constexpr Wide kMost = Wide{1} << 100;
constexpr Wide kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr Wide kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr Wide kMax64 = std::numeric_limits<std::int64_t>::max();

struct Interval {
  Wide lo = -kMost, hi = kMost;
};

Wide cut(Wide value) { return std::clamp(value, -kMost, kMost); }
/// Returns the product without overflow. If a factor is beyond 2^62, the result is kMost or -kMost; a product with 0 is
/// 0.
Wide product(Wide a, Wide b) {
  const auto is_large = [](Wide v) { return v > kMax64 / 2 || v < -(kMax64 / 2); };
  if (a == 0 || b == 0) return 0;
  if (is_large(a) || is_large(b)) return (a < 0) == (b < 0) ? kMost : -kMost;
  return cut(a * b);
}
Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

Interval sum(const Interval& a, const Interval& b) { return {cut(a.lo + b.lo), cut(a.hi + b.hi)}; }
Interval negated(const Interval& a) { return {-a.hi, -a.lo}; }
Interval meet(const Interval& a, const Interval& b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

/// Finds out whether 32 bits hold all values in an expression. The range of each part follows from two facts: the
/// values that its symbols may have, and the range in which the result of the whole expression is known to lie.
class WidthCheck {
 public:
  explicit WidthCheck(const std::vector<std::string>& sizes) : sizes_(sizes) {}

  /// Whether 32 bits hold the result of `expr`, which lies in `known`, and all values on the way to it.
  [[nodiscard]] bool fits(const IndexExpr& expr, const Interval& known) const {
    const Interval range = meet(range_of(expr), known);
    if (range.lo <= range.hi && (range.lo < kMinInt || range.hi > kMaxInt)) return false;
    switch (expr.op) {
      case Op::Const:
      case Op::Symbol:
        return true;
      case Op::Add:
        return fits(left(expr), sum(range, negated(range_of(right(expr))))) &&
               fits(right(expr), sum(range, negated(range_of(left(expr)))));
      case Op::Sub:
        return fits(left(expr), sum(range, range_of(right(expr)))) &&
               fits(right(expr), sum(range_of(left(expr)), negated(range)));
      case Op::Mul:
        return fits(left(expr), factor(range, right(expr))) && fits(right(expr), factor(range, left(expr)));
      case Op::FloorDiv:
        return fits(left(expr), dividend(range, right(expr))) && fits(right(expr), {});
      case Op::Min:
      case Op::Max:
        return std::all_of(expr.operands.begin(), expr.operands.end(),
                           [&](const IndexExpr& operand) { return fits(operand, {}); });
    }
    return false;
  }

  [[nodiscard]] Interval range_of(const IndexExpr& expr) const {
    if (expr.op == Op::Const) return {expr.value, expr.value};
    if (expr.op == Op::Symbol) return range_of_symbol(expr.symbol);
    Interval out = range_of(left(expr));
    for (std::size_t i = 1; i < expr.operands.size(); ++i) out = combined(expr.op, out, range_of(expr.operands[i]));
    return out;
  }

 private:
  static const IndexExpr& left(const IndexExpr& expr) { return expr.operands[0]; }
  static const IndexExpr& right(const IndexExpr& expr) { return expr.operands[1]; }

  [[nodiscard]] Interval range_of_symbol(const std::string& name) const {
    const bool is_size = std::find(sizes_.begin(), sizes_.end(), name) != sizes_.end();
    return is_size ? Interval{0, kMaxInt} : Interval{kMinInt, kMaxInt - 1};
  }

  static Interval combined(Op op, const Interval& a, const Interval& b) {
    switch (op) {
      case Op::Add:
        return sum(a, b);
      case Op::Sub:
        return sum(a, negated(b));
      case Op::Mul: {
        const Wide corners[] = {product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)};
        return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
      }
      case Op::FloorDiv: {
        // The division of a coordinate rounds down, and that of a formula rounds toward zero. The range holds both
        // results.
        if (b.lo > 0 && b.lo == b.hi) return {floor_div(a.lo, b.lo), floor_div(a.hi, b.lo) + (a.hi < 0 ? 1 : 0)};
        const Wide most = std::max(a.hi, -a.lo);
        return {-most - 1, most};
      }
      case Op::Min:
        return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      case Op::Max:
        return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      case Op::Const:
      case Op::Symbol:
        break;
    }
    return {};
  }

  /// Returns the range of a factor whose product with `other` lies in `range`; all values unless `other` is a constant
  /// other than 0.
  static Interval factor(const Interval& range, const IndexExpr& other) {
    if (other.op != Op::Const || other.value == 0) return {};
    const Interval products = other.value > 0 ? range : negated(range);
    const Wide divisor = other.value > 0 ? Wide{other.value} : -Wide{other.value};
    return {floor_div(products.lo, divisor), floor_div(products.hi, divisor) + 1};
  }
  /// Returns the range of a dividend whose quotient lies in `range`; all values unless the divisor is a positive
  /// constant.
  static Interval dividend(const Interval& range, const IndexExpr& divisor) {
    if (divisor.op != Op::Const || divisor.value <= 0) return {};
    return {product(cut(range.lo - 1), divisor.value), product(cut(range.hi + 1), divisor.value)};
  }

  const std::vector<std::string>& sizes_;
};

/// Returns the formula as a tree that is not simplified; none if it holds a real number.
std::optional<IndexExpr> tree_of(const Formula& formula) {
  const auto node = [](Op op, std::vector<IndexExpr> operands) {
    IndexExpr out;
    out.op = op;
    out.operands = std::move(operands);
    return out;
  };
  if (const auto* number = std::get_if<IntLiteral>(&formula.node)) return index_const(number->value);
  if (const auto* symbol = std::get_if<SymbolRef>(&formula.node)) return index_symbol(symbol->name);
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    auto operand = tree_of(negated->operand[0]);
    return operand ? std::optional(node(Op::Sub, {index_const(0), std::move(*operand)})) : std::nullopt;
  }
  const auto* binary = std::get_if<BinaryFormula>(&formula.node);
  if (binary == nullptr) return std::nullopt;
  auto lhs = tree_of(binary->operands[0]);
  auto rhs = tree_of(binary->operands[1]);
  if (!lhs || !rhs) return std::nullopt;
  switch (binary->op) {
    case FormulaOp::Add:
      return node(Op::Add, {std::move(*lhs), std::move(*rhs)});
    case FormulaOp::Sub:
      return node(Op::Sub, {std::move(*lhs), std::move(*rhs)});
    case FormulaOp::Mul:
      return node(Op::Mul, {std::move(*lhs), std::move(*rhs)});
    case FormulaOp::Div:
      return node(Op::FloorDiv, {std::move(*lhs), std::move(*rhs)});
    case FormulaOp::Pow: {
      IndexExpr out = index_const(1);
      for (std::int64_t i = 0; i < rhs->value; ++i) out = i == 0 ? *lhs : node(Op::Mul, {std::move(out), *lhs});
      return out;
    }
  }
  return std::nullopt;
}

Interval interval(const IntRange& range) { return {range.lo, range.hi}; }

/// Whether 64 bits hold the result and all values on the way to it.
bool fits_64(const WidthCheck& check, const IndexExpr& expr) {
  const Interval range = check.range_of(expr);
  return range.hi <= kMax64 && range.lo >= -kMax64 &&
         std::all_of(expr.operands.begin(), expr.operands.end(),
                     [&](const IndexExpr& operand) { return fits_64(check, operand); });
}

/// Returns the tree with its symbols as `spell` writes them.
template <class Spell>
IndexExpr with_symbols(const IndexExpr& expr, const Spell& spell) {
  IndexExpr out = expr;
  if (out.op == Op::Symbol) out.symbol = spell(out.symbol);
  for (IndexExpr& operand : out.operands) operand = with_symbols(operand, spell);
  return out;
}

/// Whether 64 bits hold all values of the formula. True for a formula with real numbers, which is not examined.
bool fits_64(const Formula& formula) {
  const auto tree = tree_of(formula);
  const std::vector<std::string> sizes = symbols_of(formula, SymbolKind::SizeVar);
  return !tree || fits_64(WidthCheck(sizes), *tree);
}

Formula in_exact(const Formula& formula) {
  return with_spelling(formula, [](const std::string& name) { return "pbrt::Exact(" + name + ")"; });
}

/// Returns an expression that computes `text` in pbrt::Exact, which stops the run where 64 bits do not hold a value.
std::string exact_value(const Formula& formula, const std::string& text) {
  return "pbrt::exact_value(\"" + to_string(formula) + "\", [&] { return " + text + "; })";
}

bool is_leaf(const Formula& formula) {
  return std::holds_alternative<SymbolRef>(formula.node) || std::holds_alternative<IntLiteral>(formula.node);
}

}  // namespace

bool fits_int(const IndexExpr& expr, const Transform& transform, IntRange result) {
  if (PB_FAULT(coordinates_in_32_bits)) return true;
  std::vector<std::string> sizes = transform.size_names();
  for (const Matrix& matrix : transform.matrices)
    for (std::size_t d = 0; d < matrix.extents.size(); ++d) sizes.push_back(view_extent(matrix, d).symbol);
  return WidthCheck(sizes).fits(expr, interval(result));
}

bool fits_int(const Formula& formula, IntRange result) {
  if (PB_FAULT(coordinates_in_32_bits)) return true;
  const auto tree = tree_of(formula);
  const std::vector<std::string> sizes = symbols_of(formula, SymbolKind::SizeVar);
  return !tree || WidthCheck(sizes).fits(*tree, interval(result));
}

std::string to_index_cpp(const IndexExpr& expr, const Transform& transform, IntRange result) {
  if (fits_int(expr, transform, result)) return to_cpp(expr);
  // Variables that generated code declares (`pb_…`) have 64 bits already.
  return to_cpp(with_symbols(
      expr, [](const std::string& name) { return is_own_name(name) ? name : "std::int64_t{" + name + "}"; }));
}

std::string to_index_cpp(const Formula& formula, IntRange result) {
  return fits_int(formula, result) ? to_c(formula) : to_wide_cpp(formula);
}

std::string to_wide_cpp(const Formula& formula) {
  if (is_leaf(formula)) return to_c(formula);
  if (!fits_64(formula)) return exact_value(formula, to_c(in_exact(formula)));
  return to_c(with_spelling(formula, [](const std::string& name) { return "std::int64_t{" + name + "}"; }));
}

std::optional<std::string> to_exact_cpp(const Formula& formula) {
  if (fits_64(formula)) return std::nullopt;
  return exact_value(formula, to_checked_c(in_exact(formula)));
}

std::string to_extent_cpp(const Formula& formula) { return to_exact_cpp(formula).value_or(to_checked_c(formula)); }

std::string to_growing_cpp(const Formula& formula) {
  return fits_64(formula) ? to_checked_c(formula) : "pbrt::exact_or_most(" + to_checked_c(in_exact(formula)) + ")";
}

std::string to_index_opencl(const IndexExpr& expr, const Transform& transform, IntRange result) {
  if (fits_int(expr, transform, result)) return to_opencl(expr);
  return to_opencl(with_symbols(expr, [](const std::string& name) { return "(long)" + name; }));
}

namespace {

/// Whether `end` is no larger than an extent of some matrix.
bool is_within_extents(const IndexExpr& end, const Transform& transform) {
  const auto is_within = [&](const IndexExpr& part) { return is_within_extents(part, transform); };
  if (end.op == Op::Min && std::any_of(end.operands.begin(), end.operands.end(), is_within)) return true;
  if (end.op == Op::Max) return std::all_of(end.operands.begin(), end.operands.end(), is_within);
  for (const Matrix& matrix : transform.matrices) {
    for (const Formula& extent : matrix.extents) {
      const auto exact = to_rational(extent, {});
      if (!exact || exact->denominator != 1) continue;
      const IndexExpr distance = index_sub(exact->numerator, end);
      if (distance.op == Op::Const && distance.value >= 0) return true;
    }
  }
  return false;
}

}  // namespace

bool is_never_negative(const Formula& formula) {
  const auto tree = tree_of(formula);
  const std::vector<std::string> sizes = symbols_of(formula, SymbolKind::SizeVar);
  return tree && WidthCheck(sizes).range_of(*tree).lo >= 0;
}

bool has_int_values(const IndexRange& range, const Transform& transform) {
  const std::vector<std::string> sizes = transform.size_names();
  const WidthCheck check(sizes);
  const bool has_end = check.range_of(range.hi).hi <= kMaxInt || is_within_extents(range.hi, transform);
  return has_end && check.range_of(range.lo).lo >= kMinInt;
}

std::string to_wide_c(const Formula& formula) {
  if (const auto exact = to_exact_cpp(formula)) return *exact;
  std::vector<std::pair<std::string, std::string>> names;
  if (!std::holds_alternative<SymbolRef>(formula.node))
    for (const std::string& size : symbols_of(formula, SymbolKind::SizeVar))
      names.emplace_back(size, "std::int64_t{" + size + "}");
  return to_checked_c(renamed(formula, names));
}

}  // namespace pb
