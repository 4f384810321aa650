// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/vector_instances.h"

#include <algorithm>
#include <cstdint>

#include "clgen/facts/rule_facts.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Cells that are farther away share no vector with the instance's own.
constexpr std::int64_t kFarthest = 16;

/// A launch says in so many bits which of its regions they are (KernelDesc::vector_regions).
constexpr std::size_t kMaxMatrices = 8;

bool names(const Formula& formula, const std::string& variable) {
  const std::vector<std::string> symbols = symbols_of(formula, SymbolKind::RuleVar);
  return std::find(symbols.begin(), symbols.end(), variable) != symbols.end();
}

/// How far the first cell of an access lies from the instance's place along its row; none if it does not follow the
/// fastest loop cell by cell, or follows it along another dimension, too.
std::optional<int> distance_of(const RegionAccess& access, const std::string& fastest) {
  if (access.lo.empty() || access.may_be_outside() || access.is_guest || access.is_slice || !access.tested_dims.empty())
    return std::nullopt;
  if (std::any_of(access.lo.begin() + 1, access.lo.end(), [&](const Formula& at) { return names(at, fastest); }))
    return std::nullopt;
  const auto place = to_rational(access.lo.front(), {});
  if (!place || place->denominator != 1 || affine_coefficient(place->numerator, fastest) != 1) return std::nullopt;
  const IndexExpr distance = substitute(place->numerator, {{fastest, index_const(0)}});
  if (distance.op != IndexExpr::Op::Const || distance.value < -kFarthest || distance.value > kFarthest)
    return std::nullopt;
  return static_cast<int>(distance.value);
}

/// The region of an input, if builds may know its extents; none otherwise.
std::optional<NearRegion> region_of(const RegionAccess& access, const InputBox& box, int distance,
                                    const std::set<std::string>& known) {
  if (access.kind != AccessKind::Region || !box.extent_is_uniform || box.extent.size() != access.lo.size())
    return std::nullopt;
  NearRegion out{box.input, distance, box.extent, {}};
  for (const IndexExpr& extent : box.extent)
    for (const std::string& name : symbols_of(extent)) {
      if (!known.contains(name)) return std::nullopt;
      if (std::find(out.names.begin(), out.names.end(), name) == out.names.end()) out.names.push_back(name);
    }
  return out;
}

/// Whether two accesses are of the same row.
bool have_same_row(const RegionAccess& a, const RegionAccess& b) {
  return a.matrix == b.matrix && std::equal(a.lo.begin() + 1, a.lo.end(), b.lo.begin() + 1, b.lo.end());
}

bool has_wide_elements(const Program& program, const Matrix& matrix) {
  const ElementType type = matrix.is_element_t ? program.element : matrix.element;
  return type == ElementType::Double || type == ElementType::Long;
}

void add_matrix(std::vector<MatrixId>& matrices, MatrixId id) {
  if (std::find(matrices.begin(), matrices.end(), id) == matrices.end()) matrices.push_back(id);
}

/// Adds an input to those of its row.
void add_reader(VectorInstances& to, const Rule& rule, std::size_t input, int distance) {
  const auto row = std::find_if(to.rows.begin(), to.rows.end(), [&](const NearCells& cells) {
    return have_same_row(rule.inputs[cells.readers.front().input], rule.inputs[input]);
  });
  if (row == to.rows.end()) {
    to.rows.push_back({{{input, distance}}, distance, distance});
    return;
  }
  row->readers.push_back({input, distance});
  row->first = std::min(row->first, distance);
  row->last = std::max(row->last, distance);
}

}  // namespace

std::optional<VectorInstances> find_vector_instances(const Program& program, const Transform& transform,
                                                     const Step& step, const std::set<std::string>& known) {
  VectorInstances out;
  if (step.loops.empty()) return std::nullopt;
  const Rule& rule = transform.rules[step.rule];
  const std::string& fastest = step.loops.back().var;
  for (const RegionAccess& output : rule.outputs) {
    if (!is_element(output) || distance_of(output, fastest) != 0) return std::nullopt;
    add_matrix(out.matrices, output.matrix);
  }
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
    const std::optional<int> distance = distance_of(rule.inputs[i], fastest);
    if (!distance) continue;
    if (rule.inputs[i].kind == AccessKind::Cell) {
      add_reader(out, rule, i, *distance);
    } else {
      const auto box = std::find_if(step.input_boxes.begin(), step.input_boxes.end(),
                                    [&](const InputBox& each) { return each.input == i; });
      auto region = box == step.input_boxes.end() ? std::nullopt : region_of(rule.inputs[i], *box, *distance, known);
      if (!region) continue;
      out.regions.push_back(*std::move(region));
    }
    add_matrix(out.matrices, rule.inputs[i].matrix);
  }
  if (out.matrices.size() > kMaxMatrices) return std::nullopt;
  const bool is_wide = std::any_of(out.matrices.begin(), out.matrices.end(),
                                   [&](MatrixId id) { return has_wide_elements(program, transform.matrices[id]); });
  out.width = is_wide ? 2 : 4;
  return out;
}

}  // namespace pb
