// SPDX-License-Identifier: MIT
#include "clgen/cpp/read_boxes.h"

#include <algorithm>

#include "clgen/names.h"

namespace pb {

SymbolRanges ranges_in(const Step& step, const std::string& box) {
  SymbolRanges out;
  for (std::size_t loop = 0; loop < step.loops.size(); ++loop) {
    const std::string at = "[" + std::to_string(step.loops.size() - 1 - loop) + "]";
    out.push_back({step.loops[loop].var, {index_symbol(box + ".lo" + at), index_sub(index_symbol(box + ".hi" + at), index_const(1))}});
  }
  return out;
}

namespace {

/// What is read of the matrix along one dimension; none where that may be all.
std::optional<IndexRange> read_range(const Step& step, const RuleCode& code, MatrixId matrix, std::size_t dim,
                                     const SymbolRanges& ranges) {
  std::vector<IndexExpr> lo;
  std::vector<IndexExpr> hi;
  for (const InputBox& box : step.input_boxes) {
    const RegionAccess& access = code.rule.inputs[box.input];
    if (access.matrix != matrix) continue;
    if (access.kind == AccessKind::All) return std::nullopt;
    const auto first = bounds_of(box.lo[dim], ranges);
    const auto end = bounds_of(box.hi[dim], ranges);
    if (!first || !end) return std::nullopt;
    lo.push_back(first->first);
    hi.push_back(end->last);
  }
  if (lo.empty()) return std::nullopt;
  IndexRange out{index_min(std::move(lo)), index_max(std::move(hi))};
  const bool is_all = out.lo.is_const(0) && to_cpp(out.hi) == to_c(code.matrix(matrix).extents[dim]);
  if (is_all) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::string> read_box(const Step& step, const RuleCode& code, MatrixId matrix_id, const std::string& instances) {
  // Rules that an instance tries before have inputs of their own.
  if (!code.tried.empty()) return std::nullopt;
  const Matrix& matrix = code.matrix(matrix_id);
  const SymbolRanges ranges = ranges_in(step, instances);
  std::vector<std::string> lo;
  std::vector<std::string> hi;
  bool is_all = true;
  bool is_same = matrix.extents.size() == step.loops.size();
  for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
    const auto range = read_range(step, code, matrix_id, d, ranges);
    is_all = is_all && !range;
    const std::string at = "[" + std::to_string(d) + "]";
    is_same = is_same && range && to_cpp(range->lo) == instances + ".lo" + at && to_cpp(range->hi) == instances + ".hi" + at;
    lo.push_back(range ? to_cpp(range->lo) : "0");
    hi.push_back(range ? to_cpp(range->hi) : matrix.name + ".size(" + std::to_string(d) + ")");
  }
  if (is_all) return std::nullopt;
  if (is_same) return instances;
  return "pbrt::Box<" + std::to_string(matrix.extents.size()) + ">{{" + joined(lo) + "}, {" + joined(hi) + "}}";
}

std::string input_call(const Step& step, const RuleCode& code, MatrixId matrix_id) {
  const Matrix& matrix = code.matrix(matrix_id);
  SymbolRanges ranges;
  if (step.device_share) ranges = ranges_in(step, "pb_box");
  for (std::size_t d = 0; d < matrix.extents.size() && step.device_share; ++d) {
    const std::string& along = step.loops[step.device_share->loop].var;
    const auto follows = [&](const InputBox& box) {
      if (code.rule.inputs[box.input].matrix != matrix_id) return true;
      std::vector<std::string> names = symbols_of(box.lo[d]);
      for (std::string& name : symbols_of(box.hi[d])) names.push_back(std::move(name));
      return std::find(names.begin(), names.end(), along) != names.end();
    };
    if (!std::all_of(step.input_boxes.begin(), step.input_boxes.end(), follows)) continue;
    if (const auto range = read_range(step, code, matrix_id, d, ranges))
      return "pb_launch.input(" + matrix.name + ", pbrt::gpu::slab_of(" + matrix.name + ", " + std::to_string(d) + ", " + to_cpp(range->lo) +
             ", " + to_cpp(range->hi) + "));";
  }
  return "pb_launch.input(" + matrix.name + ");";
}

}  // namespace pb
