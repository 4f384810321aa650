// SPDX-License-Identifier: MIT
// Which cells the work-items of a device may keep while they run an instance. Private to this folder.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Finds the regions whose cells work-items may keep: those that several divided loops over the same range access at
/// their variables. An input must hold the whole range, since it is read ahead. Of an output each access must be of
/// this kind, and the first loop must give each cell a new value before it reads it. Then nobody sees the values in
/// between, and the last loop that stores writes all cells to memory. A size variable must bound the number of rounds.
///
/// Reads: of the computation `phases`; returns Computation::kept without its phases
[[nodiscard]] KeptCells find_kept_cells(const Analysis& analysis, const Rule& rule, const Computation& computation);

}  // namespace pb::choices
