// SPDX-License-Identifier: MIT
// Versions of the alternatives: on which devices each can run.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Gives each alternative the versions that all of its steps have, and the reason against each that is absent.
///
/// Reads:   `plan.steps` with their `input_boxes`, `plan.nests`, `plan.computations`
/// Fills:   of each alternative `versions`, `why_not_device`, `why_not_local_memory`
void find_versions(Analysis& analysis);

}  // namespace pb::choices
