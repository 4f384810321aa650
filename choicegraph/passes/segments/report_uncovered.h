// SPDX-License-Identifier: MIT
// The message about cells that no rule provides: it names the boxes in the output's own coordinates and says, per rule,
// which region stops it.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Reports the cells of `matrix` in `missing` that no rule provides although sizes are large.
///
/// Errors:  UncoveredOutput; `ok` stays as it is
void report_uncovered(Analysis& analysis, MatrixId matrix, const Region& missing);

/// Returns words such as `cell 0` or `rows [2, 5)`: the cells as they are if sizes are large.
[[nodiscard]] std::string cells_in_words(const Analysis& analysis, MatrixId matrix, const Region& cells);

}  // namespace pb::choices
