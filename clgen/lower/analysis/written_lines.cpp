// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/written_lines.h"

#include <algorithm>
#include <utility>

#include "clgen/lower/analysis/fast_views.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Returns the length of a region along one dimension; none if it is not an integer expression, or may differ between
/// values of `var`.
std::optional<IndexExpr> length_of(const RegionAccess& region, std::size_t dim, const std::string& var) {
  const auto lo = to_rational(region.lo[dim], {});
  const auto hi = to_rational(region.hi[dim], {});
  const auto along = coefficient_of(region.lo[dim], var);
  if (!lo || !hi || !along || along != coefficient_of(region.hi[dim], var)) return std::nullopt;
  if (lo->denominator != 1 || hi->denominator != 1) return std::nullopt;
  return index_sub(hi->numerator, lo->numerator);
}

}  // namespace

std::vector<WrittenLine> written_lines(const RuleShape& rule, const Step& step) {
  std::vector<WrittenLine> out;
  if (step.loops.size() != 1) return out;
  for (const RegionAccess& output : rule.rule.outputs) {
    if (is_element(output)) continue;
    WrittenLine line{output.matrix, {}};
    for (std::size_t dim = 0; dim < output.lo.size(); ++dim) {
      if (output.is_fixed_dim(dim)) continue;
      if (output.kind != AccessKind::Region) {
        line.extents.push_back({dim, {}});
        continue;
      }
      std::optional<IndexExpr> length = length_of(output, dim, step.loops[0].var);
      if (!length) return {};
      line.extents.push_back({std::nullopt, std::move(*length)});
    }
    if (!line.extents.empty()) out.push_back(std::move(line));
  }
  return out;
}

std::vector<MatrixId> shared_inputs(const RuleShape& rule, const Step& step) {
  std::vector<MatrixId> out;
  if (step.loops.size() != 1 || !is_box(step) || !may_loop(rule.rule)) return out;
  for (const RegionAccess& input : rule.rule.inputs) {
    const bool is_known = std::find(out.begin(), out.end(), input.matrix) != out.end();
    if (input.kind == AccessKind::All && !input.is_slice && !is_known) out.push_back(input.matrix);
  }
  return out;
}

}  // namespace pb
