// SPDX-License-Identifier: MIT
// Finds the transforms that a transform calls.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Lists the transforms that the rules call, each once, in the order of their first calls in the source.
///
/// Reads:   the calls of the transform's rules
/// Fills:   `plan.calls`
void list_calls(Analysis& analysis);

}  // namespace pb::choices
