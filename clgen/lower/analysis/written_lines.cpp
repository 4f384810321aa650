// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/written_lines.h"

#include <algorithm>
#include <utility>

#include "clgen/lower/analysis/fast_views.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Returns the length of a region along one dimension; none if it is not an integer expression, or may differ between
/// instances of the step.
std::optional<IndexExpr> length_of(const RegionAccess& region, std::size_t dim, const Step& step) {
  const auto lo = to_rational(region.lo[dim], {});
  const auto hi = to_rational(region.hi[dim], {});
  if (!lo || !hi || lo->denominator != 1 || hi->denominator != 1) return std::nullopt;
  for (const LoopDim& loop : step.loops) {
    const auto along = coefficient_of(region.lo[dim], loop.var);
    if (!along || along != coefficient_of(region.hi[dim], loop.var)) return std::nullopt;
  }
  return index_sub(hi->numerator, lo->numerator);
}

/// Returns the cells of an access; none if instances may have different numbers of them.
std::optional<CellLine> line_of(const RegionAccess& access, const Step& step) {
  CellLine line{access.matrix, {}};
  for (std::size_t dim = 0; dim < access.lo.size(); ++dim) {
    if (access.is_fixed_dim(dim)) continue;
    if (access.kind != AccessKind::Region) {
      line.extents.push_back({dim, {}});
      continue;
    }
    std::optional<IndexExpr> length = length_of(access, dim, step);
    if (!length) return std::nullopt;
    if (*length == index_const(1)) continue;
    line.extents.push_back({std::nullopt, std::move(*length)});
  }
  return line;
}

bool is_constant(const CellLine& line) {
  return std::all_of(line.extents.begin(), line.extents.end(), [](const CellLine::Extent& extent) {
    return !extent.whole && extent.length.op == IndexExpr::Op::Const;
  });
}

}  // namespace

std::vector<CellLine> written_lines(const RuleShape& rule, const Step& step) {
  std::vector<CellLine> out;
  if (step.loops.size() != 1) return out;
  for (const RegionAccess& output : rule.rule.outputs) {
    if (is_element(output)) continue;
    std::optional<CellLine> line = line_of(output, step);
    if (!line) return {};
    if (!line->extents.empty()) out.push_back(std::move(*line));
  }
  return out;
}

std::vector<CellLine> read_lines(const RuleShape& rule, const Step& step) {
  std::vector<CellLine> out;
  if (!is_box(step) || !may_loop(rule.rule)) return out;
  for (const RegionAccess& input : rule.rule.inputs) {
    if (is_element(input) || input.kind == AccessKind::All) continue;
    if (std::optional<CellLine> line = line_of(input, step); line && !is_constant(*line))
      out.push_back(std::move(*line));
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
