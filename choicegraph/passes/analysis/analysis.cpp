// SPDX-License-Identifier: MIT
#include "choicegraph/passes/analysis/analysis.h"

#include <algorithm>

#include "lang/check.h"
#include "lang/region/nest.h"

namespace pb::choices {

std::optional<Analysis> begin_analysis(const Program& program, TransformId id, Diagnostics& diags) {
  const Transform& transform = program.transforms[id];
  PB_CHECK(!transform.rules.empty(), "a transform has rules");
  for (const Rule& rule : transform.rules)
    if (!rule.domain.is_known()) return std::nullopt;
  const RegionContext context = transform.rules.begin()->domain.context();
  const Region known = known_sizes(context, transform);
  Analysis out{program, transform, diags, context, known, formula_scope(transform, known), {}, {}, {}, {}, {}, {}};
  out.plan.transform = id;
  out.sizes = transform.size_names();
  for (const Matrix& matrix : transform.matrices) {
    auto cells = matrix_cells(context, matrix, out.scope);
    if (!cells) return std::nullopt;
    out.cells.push_back(cells->intersect_parameters(known));
  }
  return out;
}

std::optional<std::vector<RegionBox>> pieces_of(Analysis& analysis, const Region& region) {
  auto pieces = disjoint_pieces(region, analysis.known);
  if (pieces || !region.is_known()) return pieces;
  if (analysis.ok)
    analysis.diags.emit(DiagKind::RegionsTooComplex, analysis.transform.span).arg(analysis.transform.name);
  analysis.ok = false;
  return std::nullopt;
}

std::vector<IndexRange> to_ranges(const std::vector<Interval>& dims) {
  std::vector<IndexRange> out;
  out.reserve(dims.size());
  for (const Interval& dim : dims) out.push_back({dim.lo, dim.hi});
  return out;
}

bool is_cell_rule(const Rule& rule) {
  if (rule.outputs.size() != 1) return false;
  const RegionMap& map = rule.outputs.front().cells;
  return map.is_single_valued() && map.is_injective();
}

Region cells_written(const Analysis& analysis, const Rule& rule, MatrixId matrix, const Region& instances) {
  Region out;
  for (const RegionAccess& access : rule.outputs) {
    if (access.matrix != matrix) continue;
    const Region cells = access.cells.apply(instances).intersect(analysis.cells[matrix.index()]);
    out = out.is_known() ? out.unite(cells) : cells;
  }
  return out;
}

bool names_any(const IndexExpr& expr, const std::vector<std::string>& vars) {
  const std::vector<std::string> symbols = symbols_of(expr);
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& s) { return std::find(vars.begin(), vars.end(), s) != vars.end(); });
}

}  // namespace pb::choices
