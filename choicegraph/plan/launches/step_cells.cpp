// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/step_cells.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "choicegraph/plan/launches/launch_steps.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// A scope in which extents are known not to be negative, so that fractions of them are rounded down.
FormulaScope scope_of_sizes(const Transform& transform) {
  FormulaScope out;
  for (const Matrix& matrix : transform.matrices)
    for (const Formula& extent : matrix.extents)
      if (const auto* symbol = std::get_if<SymbolRef>(&extent.node)) out.nonnegative.push_back(symbol->name);
  return out;
}

/// Returns the box of the segments of the matrix that the step writes, where they are one, or differ only in dimensions
/// along which loops of the step move; none otherwise.
std::optional<std::vector<IndexRange>> box_of_segments(const TransformPlan& plan, const Step& step, MatrixId matrix,
                                                       const CellDims& dims) {
  std::optional<std::vector<IndexRange>> out;
  for (const SegmentId id : step.segments) {
    const Segment& segment = plan.segments[id];
    if (segment.matrix != matrix) continue;
    if (!segment.conditions.empty()) return std::nullopt;
    if (!out) {
      out = segment.box;
      continue;
    }
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (!dims[d].is_fixed())
        (*out)[d] = dims[d].range;
      else if ((*out)[d] != segment.box[d])
        return std::nullopt;
    }
  }
  return out;
}

}  // namespace

StepCells find_step_cells(const Transform& transform, const TransformPlan& plan, const Step& step,
                          std::size_t num_dims) {
  const RegionAccess& output = transform.rules[step.rule].outputs.front();
  if (output.kind != AccessKind::Cell || output.lo.size() < num_dims) return {{}, "makes no single cells"};
  if (!is_box(step) || !step.conditions.empty()) return {{}, "has instances that are no box"};
  StepCells out;
  std::size_t num_variables = 0;
  for (std::size_t d = 0; d < num_dims; ++d) {
    const Formula& at = output.lo[d];
    if (symbols_of(at, SymbolKind::RuleVar).empty()) {
      out.dims.push_back({"", {}, {}});
      if (auto value = to_index_expr(at, scope_of_sizes(transform))) out.dims.back().spellings.push_back(*value);
      continue;
    }
    const auto is_it = [&](const LoopDim& loop) { return is_variable(at, loop.var); };
    const auto loop = std::find_if(step.loops.begin(), step.loops.end(), is_it);
    if (loop == step.loops.end()) return {{}, "makes no single cells"};
    const auto place = static_cast<std::size_t>(loop - step.loops.begin());
    if (place + ++num_variables != step.loops.size()) return {{}, "has loops in another order than the dimensions"};
    out.dims.push_back({loop->var, loop->range, {index_symbol(loop->var)}});
  }
  if (num_variables != step.loops.size()) return {{}, "makes no single cells"};
  if (num_variables == num_dims) return out;
  // Loops know nothing of the other dimensions, but segments do: they are empty where the step does not run.
  const auto box = box_of_segments(plan, step, output.matrix, out.dims);
  if (!box) return {{}, "has instances that are no box"};
  for (std::size_t d = 0; d < num_dims; ++d) {
    CellDim& dim = out.dims[d];
    dim.range = (*box)[d];
    if (!dim.is_fixed()) continue;
    dim.spellings.push_back(dim.range.lo);
    dim.spellings.push_back(index_sub(dim.range.hi, index_const(1)));
  }
  return out;
}

CellDims cells_of_loops(const Step& step) {
  CellDims out;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop)
    out.push_back({loop->var, loop->range, {index_symbol(loop->var)}});
  return out;
}

bool has_fixed(const CellDims& dims) {
  return std::any_of(dims.begin(), dims.end(), [](const CellDim& dim) { return dim.is_fixed(); });
}

std::optional<std::int64_t> distance_from(const CellDim& dim, const IndexExpr& at) {
  for (const IndexExpr& own : dim.spellings)
    if (const auto distance = constant_of(index_sub(at, own))) return distance;
  return std::nullopt;
}

std::vector<std::string> variables_of(const CellDims& dims) {
  std::vector<std::string> out;
  for (const CellDim& dim : dims) out.push_back(dim.var);
  return out;
}

std::optional<std::size_t> main_step(const Transform& transform, const TransformPlan& plan,
                                     const std::vector<StepId>& steps, const std::vector<CellDims>& cells) {
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (has_fixed(cells[i])) continue;
    if (!out || has_less_to_do(transform, plan.steps[steps[*out]], plan.steps[steps[i]])) out = i;
  }
  return out;
}

}  // namespace pb
