// SPDX-License-Identifier: MIT
// Which transforms a transform calls.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Lists the transforms that the rules call, each once, in the order of the calls.
///
/// Fills:   `plan.calls`
void list_calls(Analysis& analysis);

}  // namespace pb::choices
