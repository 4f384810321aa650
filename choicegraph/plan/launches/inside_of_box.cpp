// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/inside_of_box.h"

#include <algorithm>
#include <string>
#include <variant>

#include "lang/region/affine.h"

namespace pb {
namespace {

/// The bounds of a coordinate; none if they cannot be computed, or name a rule variable that is no loop's.
std::optional<IndexInterval> bounds_of_coordinate(const Formula& formula, const SymbolRanges& instances,
                                                  std::vector<IndexExpr>& conditions) {
  const auto value = to_index_expr(formula, {});
  if (!value) return std::nullopt;
  for (const std::string& var : symbols_of(formula, SymbolKind::RuleVar))
    if (std::none_of(instances.begin(), instances.end(), [&](const auto& range) { return range.first == var; }))
      return std::nullopt;
  return bounds_if(*value, instances, conditions);
}

}  // namespace

bool must_be_inside(const RegionAccess& input, std::size_t dim) {
  return !input.is_optional() && !input.is_mapped_dim(dim);
}

bool has_variable_divisor(const Formula& coordinate) {
  if (const auto* negated = std::get_if<NegatedFormula>(&coordinate.node))
    return has_variable_divisor(negated->operand[0]);
  const auto* binary = std::get_if<BinaryFormula>(&coordinate.node);
  if (binary == nullptr) return false;
  return std::any_of(binary->operands.begin(), binary->operands.end(), has_variable_divisor) ||
         (binary->op == FormulaOp::Div && has_rule_var(binary->operands[1]));
}

std::optional<std::vector<IndexExpr>> inside_of_box(const RegionAccess& input, std::size_t dim, const IndexExpr& size,
                                                    const SymbolRanges& instances) {
  std::vector<IndexExpr> out;
  const auto begin = bounds_of_coordinate(input.lo[dim], instances, out);
  if (!begin) return std::nullopt;
  const bool is_fixed = input.is_fixed_dim(dim);
  const auto end = is_fixed ? begin : bounds_of_coordinate(input.hi[dim], instances, out);
  if (!end) return std::nullopt;
  out.push_back(begin->first);
  out.push_back(index_sub(is_fixed ? index_sub(size, index_const(1)) : size, end->last));
  return out;
}

}  // namespace pb
