// SPDX-License-Identifier: MIT
// The message about cells that no rule provides: names the boxes in the output's own
// coordinates and says, per rule, which region stops it.
#include <algorithm>

#include "choicegraph/analysis.h"

namespace pb::choices {
namespace {

/// Boxes as a reader thinks of them: for large sizes, each stretched as far as `missing` goes, so they may overlap.
struct Missing {
  Region cells;
  Region all;  ///< the whole matrix
  Region known;
};

IndexExpr plus_one(const IndexExpr& expr) { return index_add(expr, index_const(1)); }

/// `box` with dimension `d` over the whole matrix.
Region stretched(const Analysis& analysis, const Missing& missing, const RegionBox& box, std::size_t d,
                 const std::vector<Interval>& extents) {
  RegionBox longer = box;
  longer.dims[d] = extents[d];
  return Region::from_box(analysis.context, missing.all.dims(), longer).intersect_parameters(missing.known);
}

std::string range_text(const Interval& dim) { return "[" + to_string(dim.lo) + ", " + to_string(dim.hi) + ")"; }

std::string box_text(const std::vector<Interval>& dims) {
  std::string out;
  for (const Interval& dim : dims) out += (out.empty() ? "" : " x ") + range_text(dim);
  return out;
}

/// `column w-KWIDTH`, `rows [2, 5)`, `cell (0, h-1)`, or the box.
std::string describe(const std::vector<Interval>& dims, const std::vector<bool>& is_full) {
  const auto is_single = [](const Interval& dim) { return dim.hi == plus_one(dim.lo); };
  if (dims.empty()) return "its single number";
  const bool is_plane = dims.size() == 2;
  for (std::size_t d = 0; is_plane && d < 2; ++d) {
    if (!is_full[1 - d] || is_full[d]) continue;
    const std::string word = d == 0 ? "column" : "row";
    return is_single(dims[d]) ? word + " " + to_string(dims[d].lo) : word + "s " + range_text(dims[d]);
  }
  if (std::all_of(is_full.begin(), is_full.end(), [](bool full) { return full; })) return "all of it";
  if (!std::all_of(dims.begin(), dims.end(), is_single)) return box_text(dims);
  if (dims.size() == 1) return "cell " + to_string(dims[0].lo);
  std::string out;
  for (const Interval& dim : dims) out += (out.empty() ? "" : ", ") + to_string(dim.lo);
  return "cell (" + out + ")";
}

std::vector<Interval> extents_of(const Analysis& analysis, MatrixId matrix) {
  std::vector<Interval> out;
  for (const Formula& extent : analysis.matrix(matrix).extents)
    out.push_back({index_const(0), to_index_expr(extent, analysis.scope).value_or(index_const(0))});
  return out;
}

std::string describe_boxes(const Analysis& analysis, MatrixId matrix, const Missing& missing) {
  const auto boxes = missing.cells.disjoint_boxes(missing.known);
  if (!boxes) return missing.cells.to_string();
  const std::vector<Interval> extents = extents_of(analysis, matrix);
  std::vector<std::string> parts;
  for (RegionBox box : *boxes) {
    std::vector<bool> is_full(box.dims.size());
    for (std::size_t d = 0; d < box.dims.size(); ++d) {
      is_full[d] = stretched(analysis, missing, box, d, extents).is_subset(missing.cells);
      if (is_full[d]) box.dims[d] = extents[d];
    }
    std::string part = describe(box.dims, is_full);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

/// What `rule` would provide of `matrix` if only its outputs had to lie inside their matrices, without access
/// `skipped`.
Region provided_without(const Analysis& analysis, const Rule& rule, MatrixId matrix, const RegionAccess* skipped) {
  Region domain = Region::universe(analysis.context, rule.domain.dims());
  std::vector<const RegionAccess*> accesses;
  for (const RegionAccess& access : rule.outputs) accesses.push_back(&access);
  for (const RegionAccess& access : rule.inputs) accesses.push_back(&access);
  for (const RegionAccess* access : accesses) {
    if (access == skipped || access->is_optional() || access->is_guest) continue;
    const auto inside = keep_inside(domain, *access, analysis.matrix(access->matrix), analysis.scope);
    if (inside) domain = *inside;
  }
  Region out = Region::nothing(analysis.context, analysis.cells[matrix.index()].dims());
  for (const RegionAccess& access : rule.outputs) {
    if (access.matrix != matrix) continue;
    std::vector<Interval> box;
    for (std::size_t d = 0; d < access.lo.size(); ++d) {
      const auto lo = to_index_expr(access.lo[d], analysis.scope);
      const auto hi = to_index_expr(access.hi[d], analysis.scope);
      if (!lo || !hi) return out;
      box.push_back({*lo, *hi});
    }
    out = out.unite(RegionMap::to_box(analysis.context, domain.dims(), out.dims(), box).apply(domain));
  }
  return out;
}

/// Where `rule` stops, and the input whose region stops it.
void note_rule(const Analysis& analysis, const Rule& rule, MatrixId matrix, const Missing& missing,
               DiagBuilder& builder) {
  const Region provided =
      cells_written(analysis, rule, matrix, rule.domain).intersect_parameters(missing.known).coalesce();
  if (!provided.is_known()) return;
  const auto boxes = provided.disjoint_boxes(missing.known);
  std::string covers = boxes && !boxes->empty() ? "" : "no large part";
  for (std::size_t i = 0; boxes && i < boxes->size(); ++i)
    covers += (i == 0 ? "" : ", ") + describe((*boxes)[i].dims, std::vector<bool>((*boxes)[i].dims.size(), false));
  for (const RegionAccess& access : rule.inputs) {
    const Region more = provided_without(analysis, rule, matrix, &access).intersect(missing.cells);
    if (more.is_empty()) continue;
    builder.note(access.span, "rule `" + rule.name + "` covers " + covers + ": elsewhere this region leaves `" +
                                  analysis.matrix(access.matrix).name + "`");
    return;
  }
  builder.note(rule.span, "rule `" + rule.name + "` covers " + covers);
}

}  // namespace

void report_uncovered(Analysis& analysis, MatrixId matrix, const Region& missing) {
  Region known = analysis.known;
  for (const std::string& name : analysis.sizes)
    known = known.where_nonnegative(index_sub(index_symbol(name), index_const(1000)));
  for (const Interval& extent : extents_of(analysis, matrix))
    known = known.where_nonnegative(index_sub(extent.hi, index_const(1)));
  const Missing large{missing.intersect_parameters(known).coalesce(), analysis.cells[matrix.index()], known};
  const Matrix& declared = analysis.matrix(matrix);
  auto builder = analysis.diags.emit(DiagKind::UncoveredOutput, declared.span);
  builder.arg(declared.name).arg(describe_boxes(analysis, matrix, large));
  bool is_written = false;
  for (const Rule& rule : analysis.transform.rules) {
    const bool writes = std::any_of(rule.outputs.begin(), rule.outputs.end(),
                                    [&](const RegionAccess& access) { return access.matrix == matrix; });
    if (writes) note_rule(analysis, rule, matrix, large, builder);
    is_written = is_written || writes;
  }
  if (!is_written) builder.label("no rule writes it");
}

}  // namespace pb::choices
