// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/most_rounds.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lang/body/constant_value.h"

namespace pb {
namespace {

/// A sum of names times whole numbers. The number itself stands under the empty name.
using Sum = std::map<std::string, std::int64_t>;

void add(Sum& sum, const Sum& other, std::int64_t factor) {
  for (const auto& [name, times] : other)
    if ((sum[name] += factor * times) == 0) sum.erase(name);
}

std::optional<Sum> sum_of(const Body& body, ExprId id) {
  if (const auto value = constant_value(body, id)) return *value == 0 ? Sum{} : Sum{{"", *value}};
  const auto& node = body.exprs[id].node;
  if (const auto* name = std::get_if<NameExpr>(&node)) return Sum{{name->text, 1}};
  const auto* binary = std::get_if<BinaryExpr>(&node);
  if (binary == nullptr) return std::nullopt;
  const auto lhs = sum_of(body, binary->lhs), rhs = sum_of(body, binary->rhs);
  if (!lhs || !rhs) return std::nullopt;
  Sum out;
  if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub) {
    add(out, *lhs, 1);
    add(out, *rhs, binary->op == BinaryOp::Add ? 1 : -1);
    return out;
  }
  const auto left = constant_value(body, binary->lhs), right = constant_value(body, binary->rhs);
  if (binary->op != BinaryOp::Mul || (!left && !right)) return std::nullopt;
  add(out, left ? *rhs : *lhs, left ? *left : *right);
  return out;
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
  auto sum = sum_of(body, above);
  const auto other = sum_of(body, below);
  if (!sum || !other) return std::nullopt;
  add(*sum, *other, -1);
  if (sum->empty()) return 0;
  return sum->size() == 1 && sum->begin()->first.empty() ? std::optional(sum->begin()->second) : std::nullopt;
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
