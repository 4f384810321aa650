// SPDX-License-Identifier: MIT
// How several work-groups of a device may run the phases of an instance together. Private to this folder.
#pragma once

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb::choices {

/// Deals the phases out to stages. Groups cannot wait for one another within a launch, so a phase before which
/// work-items wait begins a stage, and so does what follows a fold, whose parts are then combined. Each launch begins
/// with the body's first statement, and runs what is in no phase again. That must have the values of before, so there
/// are no stages if it reads cells of outputs.
///
/// Where single elements are stored at the end of the body, or loops end with a fold, one group runs the last stage.
///
/// Reads and fills: `phases` of the computation
/// Fills:           `stages`
void find_stages(const Rule& rule, Computation& computation);

}  // namespace pb::choices
