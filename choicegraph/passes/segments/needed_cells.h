// SPDX-License-Identifier: MIT
// The cells of temporaries from which some result follows, whatever is chosen (docs/reference/language.md 6.4). For
// cut_grid.cpp.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Returns, by MatrixId, the cells from which by some rules cells of results follow; of other matrices than temporaries
/// all.
[[nodiscard]] std::vector<Region> needed_cells(const Analysis& analysis);

/// True if none of `cells` of a temporary is needed, and instances that write them for themselves, beside results, do
/// not get into each other's way: then nothing is decided for them, and no rule runs for their sake.
///
/// Pre:     `needed` is what needed_cells returned
[[nodiscard]] bool is_idle(const Analysis& analysis, const std::vector<Region>& needed, MatrixId matrix,
                           const Region& cells);

}  // namespace pb::choices
