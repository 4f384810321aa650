// SPDX-License-Identifier: MIT
// Folds whose iterations the work-items of a device may divide among each other.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Finds the folds that several work-items may run together: each takes some iterations, and the parts are combined.
/// All work-items of a group come by where parts are combined, so such a fold stands at the top of the body, and no
/// `return` before it. All of them run the rest of the body, so a rule with such a fold stores single cells only, and
/// reads none of the matrices that it writes. Of a fold in a fold both loops are found, if each iteration of the outer
/// one runs the same range of the inner one.
///
/// Reads:   `plan.computations`
/// Fills:   of each computation `divided`
void find_divided_folds(Analysis& analysis);

}  // namespace pb::choices
