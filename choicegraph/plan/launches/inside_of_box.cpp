// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/inside_of_box.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "lang/region/affine.h"

namespace pb {
namespace {

/// Products of two sizes fit 64 bits. Those of more have fewer bits than this, so that sums of several fit.
constexpr int kMostBits = 60;
/// Bounds of a product name each factor several times.
constexpr int kMostFactors = 4;

/// The value of a coordinate; none if it cannot be computed, or names a rule variable that is no loop's.
std::optional<IndexExpr> value_of(const Formula& coordinate, const SymbolRanges& instances) {
  for (const std::string& var : symbols_of(coordinate, SymbolKind::RuleVar))
    if (std::none_of(instances.begin(), instances.end(), [&](const auto& range) { return range.first == var; }))
      return std::nullopt;
  return to_index_expr(coordinate, {});
}

/// Appends what is 0 or more where no divisor of the value is 0; false if one differs between instances.
bool add_divisors(const IndexExpr& value, const SymbolRanges& instances, std::vector<IndexExpr>& out) {
  for (const IndexExpr& operand : value.operands)
    if (!add_divisors(operand, instances, out)) return false;
  if (value.op != IndexExpr::Op::FloorDiv || value.operands[1].op == IndexExpr::Op::Const) return true;
  for (const std::string& name : symbols_of(value.operands[1]))
    if (std::any_of(instances.begin(), instances.end(), [&](const auto& range) { return range.first == name; }))
      return false;
  out.push_back(index_sub(value.operands[1], index_const(1)));
  return true;
}

/// How many symbols the largest product in the value has. Large constants count as some.
int degree_of(const IndexExpr& value) {
  if (value.op == IndexExpr::Op::Const) {
    const std::int64_t size = value.value < 0 ? -value.value : value.value;
    return size < 1 << 10 ? 0 : size < 1 << 20 ? 1 : 2;
  }
  if (value.op == IndexExpr::Op::Symbol) return 1;
  int most = 0, sum = 0;
  for (const IndexExpr& operand : value.operands) {
    const int degree = degree_of(operand);
    most = std::max(most, degree);
    sum += degree;
  }
  return value.op == IndexExpr::Op::Mul ? sum : most;
}

/// Puts before the values what is 0 or more where their products do not overflow.
std::vector<IndexExpr> without_overflow(std::vector<IndexExpr> values) {
  int degree = 0;
  std::vector<std::string> names;
  for (const IndexExpr& value : values) {
    degree = std::max(degree, degree_of(value));
    for (std::string& name : symbols_of(value))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (degree <= 2) return values;
  const IndexExpr most = index_const(std::int64_t{1} << (kMostBits / degree));
  std::vector<IndexExpr> out;
  for (const std::string& name : names) {
    out.push_back(index_sub(most, index_symbol(name)));
    out.push_back(index_add(most, index_symbol(name)));
  }
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

}  // namespace

std::optional<std::vector<IndexExpr>> inside_of_box(const RegionAccess& input, std::size_t dim, const IndexExpr& size,
                                                    const SymbolRanges& instances) {
  const bool is_fixed = input.is_fixed_dim(dim);
  const auto begin = value_of(input.lo[dim], instances);
  const auto end = is_fixed ? begin : value_of(input.hi[dim], instances);
  if (!begin || !end || degree_of(*begin) > kMostFactors || degree_of(*end) > kMostFactors) return std::nullopt;
  std::vector<IndexExpr> out;
  if (input.is_optional() || input.is_mapped_dim(dim)) {
    const bool may_overflow = degree_of(*begin) > 2 || degree_of(*end) > 2;
    if (may_overflow || !add_divisors(*begin, instances, out) || !add_divisors(*end, instances, out))
      return std::nullopt;
    return out;
  }
  const auto first = bounds_if(*begin, instances, out);
  const auto last = is_fixed ? first : bounds_if(*end, instances, out);
  // A region that would end before it begins has no cells on the CPU.
  const auto extent = is_fixed ? first : bounds_if(index_sub(*end, *begin), instances, out);
  if (!first || !last || !extent) return std::nullopt;
  out.push_back(first->first);
  out.push_back(index_sub(is_fixed ? index_sub(size, index_const(1)) : size, last->last));
  if (!is_fixed) out.push_back(extent->first);
  return without_overflow(std::move(out));
}

}  // namespace pb
