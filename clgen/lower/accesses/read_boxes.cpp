// SPDX-License-Identifier: MIT
#include "clgen/lower/accesses/read_boxes.h"

#include <algorithm>
#include <utility>

#include "clgen/facts/names.h"

namespace pb {

SymbolRanges ranges_in(const Step& step, const std::string& box) {
  SymbolRanges out;
  for (std::size_t loop = 0; loop < step.loops.size(); ++loop) {
    const std::string at = "[" + std::to_string(step.loops.size() - 1 - loop) + "]";
    out.push_back({step.loops[loop].var,
                   {index_symbol(box + ".lo" + at), index_sub(index_symbol(box + ".hi" + at), index_const(1))}});
  }
  return out;
}

namespace {

/// Returns the borders that map coordinates of the matrix in dimension `dim`, over all inputs that read it, each once.
std::vector<Border> borders_of(const RuleShape& rule, MatrixId matrix, std::size_t dim) {
  std::vector<Border> out;
  for (const RegionAccess& input : rule.rule.inputs)
    if (input.matrix == matrix && input.is_mapped_dim(dim) &&
        std::find(out.begin(), out.end(), input.border) == out.end())
      out.push_back(input.border);
  return out;
}

bool has_borders(const RuleShape& rule, MatrixId matrix) {
  return std::any_of(rule.rule.inputs.begin(), rule.rule.inputs.end(),
                     [&](const RegionAccess& input) { return input.matrix == matrix && input.num_mapped_dims > 0; });
}

/// Returns the range of coordinates that the step reads of the matrix along one dimension; none if that may be all of
/// it.
std::optional<IndexRange> read_range(const Step& step, const RuleShape& rule, MatrixId matrix, std::size_t dim,
                                     const SymbolRanges& ranges) {
  std::vector<IndexExpr> lo;
  std::vector<IndexExpr> hi;
  for (const InputBox& box : step.input_boxes) {
    const RegionAccess& access = rule.rule.inputs[box.input];
    if (access.matrix != matrix) continue;
    if (access.kind == AccessKind::All) return std::nullopt;
    const auto first = bounds_of(box.lo[dim], ranges);
    const auto end = bounds_of(box.hi[dim], ranges);
    if (!first || !end) return std::nullopt;
    lo.push_back(first->first);
    hi.push_back(end->last);
  }
  if (lo.empty()) return std::nullopt;
  IndexRange out{index_min(lo), index_max(hi)};
  if (is_all_of(out, rule.matrix(matrix).extents[dim])) return std::nullopt;
  return out;
}

}  // namespace

std::optional<PartBox> read_box(const Step& step, const RuleShape& rule, MatrixId matrix_id,
                                const std::string& instances) {
  // The rules that an instance tries first have inputs of their own, which are not considered here.
  if (!rule.rule.tried.empty()) return std::nullopt;
  const Matrix& matrix = rule.matrix(matrix_id);
  const SymbolRanges ranges = ranges_in(step, instances);
  PartBox out;
  bool is_all = true;
  for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
    const auto range = read_range(step, rule, matrix_id, d, ranges);
    is_all = is_all && !range;
    out.bounds.push_back(range.value_or(IndexRange{index_const(0), view_extent(matrix, d)}));
  }
  if (is_all) return std::nullopt;
  if (has_borders(rule, matrix_id)) {
    for (std::size_t d = 0; d < matrix.extents.size(); ++d) out.borders.push_back(borders_of(rule, matrix_id, d));
  } else if (out.bounds == variable_box(instances, step.loops.size())) {
    return PartBox{instances};
  }
  return out;
}

namespace {

/// Whether everything that the step reads of the matrix moves along the dimension with the loop variable.
bool moves_with_loop(const Step& step, const RuleShape& rule, MatrixId matrix, std::size_t dim,
                     const std::string& var) {
  const auto follows = [&](const InputBox& box) {
    if (rule.rule.inputs[box.input].matrix != matrix) return true;
    std::vector<std::string> names = symbols_of(box.lo[dim]);
    for (std::string& name : symbols_of(box.hi[dim])) names.push_back(std::move(name));
    return std::find(names.begin(), names.end(), var) != names.end();
  };
  return std::all_of(step.input_boxes.begin(), step.input_boxes.end(), follows);
}

/// Returns the parts of the matrix that instances in `pb_box` read: along the dimension of versions, and along the one
/// in which a step that the CPU and a device share is cut.
std::vector<ReadSlab> read_slabs(const TransformPlan& plan, const Step& step, const RuleShape& rule, MatrixId id) {
  // The rules that an instance tries first have inputs of their own, which are not considered here.
  if (!rule.rule.tried.empty()) return {};
  const Matrix& matrix = rule.matrix(id);
  const SymbolRanges ranges = ranges_in(step, "pb_box");
  // Of versions that have no memory by themselves, none may be named that is not read.
  const bool has_versions = matrix.has_versions || nest_of_versions(plan, id) != nullptr;
  std::vector<ReadSlab> out;
  bool is_cut = !step.device_share;
  for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
    const bool is_version = has_versions && d + 1 == matrix.extents.size();
    const bool is_cut_here = !is_cut && moves_with_loop(step, rule, id, d, step.loops[step.device_share->loop].var);
    if (!is_version && !is_cut_here) continue;
    auto range = read_range(step, rule, id, d, ranges);
    if (!range) continue;
    is_cut = is_cut || is_cut_here;
    out.push_back({d, std::move(*range)});
  }
  return out;
}

/// Returns the slabs as one box, with the borders that map coordinates into the matrix.
PartBox bordered_box(const RuleShape& rule, MatrixId id, const std::vector<ReadSlab>& slabs) {
  const Matrix& matrix = rule.matrix(id);
  PartBox out;
  out.borders.resize(matrix.extents.size());
  for (std::size_t d = 0; d < matrix.extents.size(); ++d)
    out.bounds.push_back({index_const(0), view_extent(matrix, d)});
  for (const ReadSlab& slab : slabs) {
    out.bounds[slab.dim] = slab.range;
    out.borders[slab.dim] = borders_of(rule, id, slab.dim);
  }
  return out;
}

}  // namespace

KernelInput kernel_input(const TransformPlan& plan, const Step& step, const RuleShape& rule, MatrixId id) {
  KernelInput out{read_slabs(plan, step, rule, id)};
  const bool is_mapped = std::any_of(out.slabs.begin(), out.slabs.end(),
                                     [&](const ReadSlab& slab) { return !borders_of(rule, id, slab.dim).empty(); });
  if (is_mapped) out.bordered = bordered_box(rule, id, out.slabs);
  return out;
}

}  // namespace pb
