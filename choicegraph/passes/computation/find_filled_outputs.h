// SPDX-License-Identifier: MIT
// Finds the outputs that a body, or each round of a loop, gives new values before it reads them.
#pragma once

#include <cstddef>
#include <vector>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"
#include "lang/region/affine.h"

namespace pb::choices {

/// Returns the outputs for MapLoop::renewed.
[[nodiscard]] std::vector<std::size_t> find_renewed(const Rule& rule, const MapLoop& map);

/// Returns the outputs of one or two dimensions, by index in Rule::outputs, of which each instance gives every cell a
/// new value before it may read any. A loop at the top of the body stores the cells, one or a line per round, and
/// nothing before it uses them. That its rounds are all cells of the region is proved for all instances.
///
/// `scope` is that of the transform's formulas.
///
/// Reads: of the maps `renewed`
[[nodiscard]] std::vector<std::size_t> find_filled_outputs(const Rule& rule, const Computation& computation,
                                                           const FormulaScope& scope);

}  // namespace pb::choices
