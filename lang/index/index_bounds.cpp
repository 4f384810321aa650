// SPDX-License-Identifier: MIT
#include "lang/index/index_bounds.h"

#include <algorithm>

namespace pb {
namespace {

IndexInterval bounds_of_product(const IndexInterval& a, const IndexInterval& b) {
  if (a.first == a.last && a.first.op == IndexExpr::Op::Const) {
    const bool is_reversed = a.first.value < 0;
    return {index_mul(a.first, is_reversed ? b.last : b.first), index_mul(a.first, is_reversed ? b.first : b.last)};
  }
  if (b.first == b.last && b.first.op == IndexExpr::Op::Const) return bounds_of_product(b, a);
  std::vector<IndexExpr> corners;
  for (const IndexExpr& x : {a.first, a.last})
    for (const IndexExpr& y : {b.first, b.last}) corners.push_back(index_mul(x, y));
  return {index_min(corners), index_max(corners)};
}

/// The bounds of an expression, by those of its operands. Where `conditions_` are wanted, see bounds_if.
class BoundsFinder {
 public:
  BoundsFinder(const SymbolRanges& ranges, std::vector<IndexExpr>* conditions)
      : ranges_(ranges), conditions_(conditions) {}

  [[nodiscard]] std::optional<IndexInterval> of(const IndexExpr& expr) const {
    if (has_no_range(expr) && (conditions_ == nullptr || !has_unknown_divisor(expr))) return IndexInterval{expr, expr};
    if (expr.op == IndexExpr::Op::Symbol)
      return std::find_if(ranges_.begin(), ranges_.end(), [&](const auto& range) { return range.first == expr.symbol; })
          ->second;
    std::vector<IndexInterval> items;
    for (const IndexExpr& operand : expr.operands) {
      auto item = of(operand);
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
    }
    return combine(expr, items);
  }

 private:
  static bool has_unknown_divisor(const IndexExpr& expr) {
    return (expr.op == IndexExpr::Op::FloorDiv && expr.operands[1].op != IndexExpr::Op::Const) ||
           std::any_of(expr.operands.begin(), expr.operands.end(), has_unknown_divisor);
  }
  [[nodiscard]] bool has_no_range(const IndexExpr& expr) const {
    const std::vector<std::string> symbols = symbols_of(expr);
    return std::none_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
      return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) { return range.first == symbol; });
    });
  }

  [[nodiscard]] std::optional<IndexInterval> quotient(const IndexInterval& a, const IndexExpr& divisor) const {
    if (divisor.op != IndexExpr::Op::Const) {
      if (conditions_ == nullptr || !has_no_range(divisor)) return std::nullopt;
      conditions_->push_back(index_sub(divisor, index_const(1)));
      conditions_->push_back(a.first);
      return IndexInterval{index_floordiv(a.first, divisor), index_floordiv(a.last, divisor)};
    }
    if (divisor.value == 0) return std::nullopt;
    const bool is_reversed = divisor.value < 0;
    return IndexInterval{index_floordiv(is_reversed ? a.last : a.first, divisor),
                         index_floordiv(is_reversed ? a.first : a.last, divisor)};
  }

  /// The interval of the values of `expr` if its operands lie in `items`.
  [[nodiscard]] std::optional<IndexInterval> combine(const IndexExpr& expr,
                                                     const std::vector<IndexInterval>& items) const {
    std::vector<IndexExpr> firsts;
    std::vector<IndexExpr> lasts;
    for (const IndexInterval& item : items) {
      firsts.push_back(item.first);
      lasts.push_back(item.last);
    }
    switch (expr.op) {
      case IndexExpr::Op::Const:
      case IndexExpr::Op::Symbol:
        return IndexInterval{expr, expr};
      case IndexExpr::Op::Add:
        return IndexInterval{index_add(firsts[0], firsts[1]), index_add(lasts[0], lasts[1])};
      case IndexExpr::Op::Sub:
        return IndexInterval{index_sub(firsts[0], lasts[1]), index_sub(lasts[0], firsts[1])};
      case IndexExpr::Op::Mul:
        return bounds_of_product(items[0], items[1]);
      case IndexExpr::Op::FloorDiv:
        return quotient(items[0], expr.operands[1]);
      case IndexExpr::Op::Min:
        return IndexInterval{index_min(firsts), index_min(lasts)};
      case IndexExpr::Op::Max:
        return IndexInterval{index_max(firsts), index_max(lasts)};
    }
    return std::nullopt;
  }

  const SymbolRanges& ranges_;
  std::vector<IndexExpr>* conditions_;
};

}  // namespace

std::optional<IndexInterval> bounds_of(const IndexExpr& expr, const SymbolRanges& ranges) {
  return BoundsFinder(ranges, nullptr).of(expr);
}

std::optional<IndexInterval> bounds_if(const IndexExpr& expr, const SymbolRanges& ranges,
                                       std::vector<IndexExpr>& conditions) {
  return BoundsFinder(ranges, &conditions).of(expr);
}

}  // namespace pb
