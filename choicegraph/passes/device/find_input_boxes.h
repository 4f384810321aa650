// SPDX-License-Identifier: MIT
// What the device versions need to know about inputs.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Finds the box that an instance reads of each input, and whether its extent and place depend on the instance.
///
/// Reads:   `plan.steps`, `step_sets`
/// Fills:   of each step `input_boxes`
void find_input_boxes(Analysis& analysis);

}  // namespace pb::choices
