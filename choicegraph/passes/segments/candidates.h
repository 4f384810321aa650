// SPDX-License-Identifier: MIT
// Finds the candidates of cells (docs/architecture.md 5.2): divides each matrix into groups of cells that have the same
// ones. Private to this folder: cut_grid.cpp writes the groups as segments, liveness.cpp follows which rules read which
// cells.
#pragma once

#include <vector>

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// The cells whose candidates, after all filters and in their order, are `rules`. The list may be empty.
struct CellGroup {
  std::vector<RuleId> rules;
  Region cells;
  bool is_large = false;  ///< exists for large sizes, and is no corner of versions; else the first candidate counts
};

/// The groups of each matrix, by MatrixId; inputs have none. Notes in the plan which rules are displaced.
///
/// Errors: RegionsTooComplex if the cells of a matrix fall into too many groups
[[nodiscard]] std::vector<std::vector<CellGroup>> all_groups(Analysis& analysis);

/// Warns of rules that make nothing because others name the versions. Pre: the segments are known.
void warn_of_displaced(Analysis& analysis);

}  // namespace pb::choices
