// SPDX-License-Identifier: MIT
// How the work-items of a device may run an instance together.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Finds the phases of bodies: loops whose iterations several work-items divide among each other, and what stands
/// between them. All work-items of a group come by where they wait for one another, so such a loop stands at the top of
/// the body, and no `return` before it.
///
/// Work-items divide folds, whose parts are combined, maps, whose rounds each store cells of their own, loops that
/// update bins, and those that store to distinct places. All of them run the rest of the
/// body. Cells that are stored outside of loops are stored by one of them. Where cells were stored, or read and are
/// stored now, they wait for one another first. A body that stores cells in another way has no phases, nor has one
/// whose instances read what others of their launch write. Of a fold in a fold both loops are found, if each iteration
/// of the outer one runs the same range of the inner one.
///
/// Reads:   `plan.computations`
/// Fills:   of each computation `phases`, `stages`, `kept`, `stores_in_phases`, `undivided`
void find_phases(Analysis& analysis);

}  // namespace pb::choices
