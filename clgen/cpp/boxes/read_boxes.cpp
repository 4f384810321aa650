// SPDX-License-Identifier: MIT
#include "clgen/cpp/boxes/read_boxes.h"

#include <algorithm>

#include "clgen/cpp/boxes/box_text.h"
#include "clgen/names.h"

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

const char* constant_of(Border border) {
  switch (border) {
    case Border::Wrap:
      return "pbrt::kWrap";
    case Border::Clamp:
      return "pbrt::kClamp";
    case Border::Mirror:
      return "pbrt::kMirror";
    case Border::None:
    case Border::Default:
    case Border::Optional:
      break;
  }
  return "pbrt::kNoBorder";
}

/// Returns the borders that map coordinates of the matrix in dimension `dim`, over all inputs that read it, as C++ of a
/// BorderSet.
std::string borders_of(const RuleCode& code, MatrixId matrix, std::size_t dim) {
  std::vector<std::string> words;
  for (const RegionAccess& input : code.rule.inputs) {
    if (input.matrix != matrix || !input.is_mapped_dim(dim)) continue;
    const std::string word = constant_of(input.border);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words.empty() ? constant_of(Border::None) : joined(words, " | ");
}

bool has_borders(const RuleCode& code, MatrixId matrix) {
  return std::any_of(code.rule.inputs.begin(), code.rule.inputs.end(),
                     [&](const RegionAccess& input) { return input.matrix == matrix && input.num_mapped_dims > 0; });
}

/// Returns a box with a set of borders per dimension, as C++ of a BorderedBox.
std::string bordered_text(const BoxBounds& box, const std::vector<std::string>& borders) {
  return "pbrt::BorderedBox<" + std::to_string(box.size()) + ">{" + initializer_of(box) + ", {" + joined(borders) +
         "}}";
}

/// Returns the range of coordinates that the step reads of the matrix along one dimension; none if that may be all of
/// it.
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
  IndexRange out{index_min(lo), index_max(hi)};
  if (is_all_of(out, code.matrix(matrix).extents[dim])) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::string> read_box(const Step& step, const RuleCode& code, MatrixId matrix_id,
                                    const std::string& instances) {
  // The rules that an instance tries first have inputs of their own, which are not considered here.
  if (!code.tried.empty()) return std::nullopt;
  const Matrix& matrix = code.matrix(matrix_id);
  const SymbolRanges ranges = ranges_in(step, instances);
  BoxBounds read;
  bool is_all = true;
  for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
    const auto range = read_range(step, code, matrix_id, d, ranges);
    is_all = is_all && !range;
    read.push_back(range.value_or(IndexRange{index_const(0), view_extent(matrix, d)}));
  }
  if (is_all) return std::nullopt;
  if (!has_borders(code, matrix_id))
    return read == variable_box(instances, step.loops.size()) ? instances : box_text(read);
  std::vector<std::string> borders;
  for (std::size_t d = 0; d < matrix.extents.size(); ++d) borders.push_back(borders_of(code, matrix_id, d));
  return bordered_text(read, borders);
}

namespace {

/// A dimension along which a kernel reads a part of a matrix.
struct ReadSlab {
  std::size_t dim = 0;
  IndexRange range;
};

/// Whether everything that the step reads of the matrix moves along the dimension with the loop variable.
bool moves_with_loop(const Step& step, const RuleCode& code, MatrixId matrix, std::size_t dim, const std::string& var) {
  const auto follows = [&](const InputBox& box) {
    if (code.rule.inputs[box.input].matrix != matrix) return true;
    std::vector<std::string> names = symbols_of(box.lo[dim]);
    for (std::string& name : symbols_of(box.hi[dim])) names.push_back(std::move(name));
    return std::find(names.begin(), names.end(), var) != names.end();
  };
  return std::all_of(step.input_boxes.begin(), step.input_boxes.end(), follows);
}

/// Returns the parts of the matrix that instances in `pb_box` read: along the dimension of versions, and along the one
/// in which a step that the CPU and a device share is cut.
std::vector<ReadSlab> read_slabs(const Step& step, const RuleCode& code, MatrixId id) {
  // The rules that an instance tries first have inputs of their own, which are not considered here.
  if (!code.tried.empty()) return {};
  const Matrix& matrix = code.matrix(id);
  const SymbolRanges ranges = ranges_in(step, "pb_box");
  std::vector<ReadSlab> out;
  bool is_cut = !step.device_share;
  for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
    const bool is_version = matrix.has_versions && d + 1 == matrix.extents.size();
    const bool is_cut_here = !is_cut && moves_with_loop(step, code, id, d, step.loops[step.device_share->loop].var);
    if (!is_version && !is_cut_here) continue;
    auto range = read_range(step, code, id, d, ranges);
    if (!range) continue;
    is_cut = is_cut || is_cut_here;
    out.push_back({d, std::move(*range)});
  }
  return out;
}

/// Returns the slabs as one box, with the borders that map coordinates into the matrix.
std::string bordered_box(const RuleCode& code, MatrixId id, const std::vector<ReadSlab>& slabs) {
  const Matrix& matrix = code.matrix(id);
  BoxBounds box;
  std::vector<std::string> borders(matrix.extents.size(), constant_of(Border::None));
  for (std::size_t d = 0; d < matrix.extents.size(); ++d) box.push_back({index_const(0), view_extent(matrix, d)});
  for (const ReadSlab& slab : slabs) {
    box[slab.dim] = slab.range;
    borders[slab.dim] = borders_of(code, id, slab.dim);
  }
  return bordered_text(box, borders);
}

}  // namespace

std::string input_call(const Step& step, const RuleCode& code, MatrixId id) {
  const std::string& name = code.matrix(id).name;
  const std::vector<ReadSlab> slabs = read_slabs(step, code, id);
  if (slabs.empty()) return "pb_launch.input(" + name + ");";
  const bool is_mapped = std::any_of(slabs.begin(), slabs.end(), [&](const ReadSlab& slab) {
    return borders_of(code, id, slab.dim) != constant_of(Border::None);
  });
  if (is_mapped) return "pb_launch.input(" + name + ", " + bordered_box(code, id, slabs) + ");";
  std::string part = name;
  for (const ReadSlab& slab : slabs)
    part = "pbrt::gpu::slab_of(" + part + ", " + std::to_string(slab.dim) + ", " + to_cpp(slab.range.lo) + ", " +
           to_cpp(slab.range.hi) + ")";
  return "pb_launch.input(" + name + ", " + part + ");";
}

}  // namespace pb
