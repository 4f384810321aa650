// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/most_rounds.h"

#include <algorithm>
#include <vector>

#include "lang/body/constant_value.h"
#include "lang/index/index_expr.h"

namespace pb {
namespace {

/// A limit as an expression of its names, which stand for what they are called. None if it is no sum or product of
/// names and numbers.
std::optional<IndexExpr> index_of(const Body& body, ExprId id) {
  if (const auto value = constant_value(body, id)) return index_const(*value);
  const auto& node = body.exprs[id].node;
  if (const auto* name = std::get_if<NameExpr>(&node)) return index_symbol(name->text);
  const auto* binary = std::get_if<BinaryExpr>(&node);
  if (binary == nullptr) return std::nullopt;
  const auto lhs = index_of(body, binary->lhs), rhs = index_of(body, binary->rhs);
  if (!lhs || !rhs) return std::nullopt;
  if (binary->op == BinaryOp::Add) return index_add(*lhs, *rhs);
  if (binary->op == BinaryOp::Sub) return index_sub(*lhs, *rhs);
  if (binary->op == BinaryOp::Mul) return index_mul(*lhs, *rhs);
  return std::nullopt;
}

/// The expressions of which a limit is the smallest.
std::vector<ExprId> bounds_of(const Body& body, ExprId id) {
  const auto* call = std::get_if<CallExpr>(&body.exprs[id].node);
  if (call == nullptr || (call->callee != "min" && call->callee != "std::min")) return {id};
  std::vector<ExprId> out;
  for (const ExprId arg : call->args) {
    const std::vector<ExprId> inner = bounds_of(body, arg);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

/// How far `above` lies behind `below`; none if that is not a constant.
std::optional<std::int64_t> distance(const Body& body, ExprId below, ExprId above) {
  const auto end = index_of(body, above), begin = index_of(body, below);
  if (!end || !begin) return std::nullopt;
  const IndexExpr length = index_sub(*end, *begin);
  return length.op == IndexExpr::Op::Const ? std::optional(length.value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> most_rounds(const Body& body, const Fold& fold) {
  const ExprId below = fold.step > 0 ? fold.first : fold.last, above = fold.step > 0 ? fold.last : fold.first;
  std::optional<std::int64_t> least;
  for (const ExprId bound : bounds_of(body, above))
    if (const auto length = distance(body, below, bound)) least = std::min(least.value_or(*length), *length);
  if (!least) return std::nullopt;
  const std::int64_t step = std::abs(fold.step), length = *least + (fold.is_inclusive ? 1 : 0);
  return std::max<std::int64_t>((length + step - 1) / step, 0);
}

}  // namespace pb
