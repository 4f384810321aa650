// SPDX-License-Identifier: MIT
#include "choicegraph/passes/segments/needed_cells.h"

#include <algorithm>
#include <utility>

namespace pb::choices {
namespace {

bool writes_any(const Rule& rule, const std::vector<Region>& needed) {
  return std::any_of(rule.outputs.begin(), rule.outputs.end(), [&](const RegionAccess& access) {
    return intersects(access.cells.range(), needed[access.matrix.index()]);
  });
}

/// Whether no two instances of the rule write one cell by this access.
bool is_private(const Rule& rule, const RegionAccess& access) {
  return rule.vars.empty() || access.cells.is_injective();
}

}  // namespace

std::vector<Region> needed_cells(const Analysis& analysis) {
  std::vector<Region> out;
  bool has_temporaries = false;
  for (const MatrixId matrix : analysis.transform.matrices.ids()) {
    const Region& all = analysis.cells[matrix.index()];
    const bool is_temporary = analysis.matrix(matrix).role == MatrixRole::Through;
    has_temporaries = has_temporaries || is_temporary;
    out.push_back(is_temporary ? Region::nothing(analysis.context, all.dims()) : all);
  }
  if (!has_temporaries) return out;
  std::vector<RuleId> idle;
  for (const RuleId id : analysis.transform.rules.ids()) idle.push_back(id);
  for (std::size_t before = idle.size() + 1; idle.size() < before;) {
    before = idle.size();
    std::erase_if(idle, [&](RuleId id) {
      const Rule& rule = analysis.rule(id);
      if (!writes_any(rule, out)) return false;
      for (const RegionAccess& access : rule.inputs) {
        Region& cells = out[access.matrix.index()];
        cells = cells.unite(access.cells.range()).coalesce();
      }
      return true;
    });
  }
  return out;
}

bool is_idle(const Analysis& analysis, const std::vector<Region>& needed, MatrixId matrix, const Region& cells) {
  if (analysis.matrix(matrix).role != MatrixRole::Through || intersects(cells, needed[matrix.index()])) return false;
  int num_writers = 0;
  for (const Rule& rule : analysis.transform.rules) {
    if (!writes_any(rule, needed)) continue;
    int num_accesses = 0;
    for (const RegionAccess& access : rule.outputs) {
      if (access.matrix != matrix || !intersects(access.cells.range(), cells)) continue;
      ++num_accesses;
      if (!is_private(rule, access)) return false;
    }
    if (num_accesses > 1 && !rule.vars.empty()) return false;
    num_writers += num_accesses > 0 ? 1 : 0;
  }
  return num_writers <= 1;
}

}  // namespace pb::choices
