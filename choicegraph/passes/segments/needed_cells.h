// SPDX-License-Identifier: MIT
// The cells of temporaries from which some result follows, whatever is chosen (docs/reference/language.md 6.4). For
// cut_grid.cpp.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Returns, by MatrixId, the cells of temporaries from which cells of results follow by some rules. For other matrices
/// it returns all cells.
[[nodiscard]] std::vector<Region> needed_cells(const Analysis& analysis);

/// True if no cell of `cells`, which belong to a temporary, is needed, and if instances that write them only for
/// themselves, beside results, do not disturb each other. Then nothing is decided for these cells, and no rule runs to
/// make them.
///
/// Pre:     `needed` is what needed_cells returned
[[nodiscard]] bool is_idle(const Analysis& analysis, const std::vector<Region>& needed, MatrixId matrix,
                           const Region& cells);

}  // namespace pb::choices
