// SPDX-License-Identifier: MIT
// A warning about rules whose instances produce much and keep little.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Warns of rules of whose work little is kept. An instance always produces its whole region, and what other rules own
/// of it is overwritten (docs/architecture.md 6.5).
///
/// Reads:   `plan.segments`, `plan.sites`, `plan.steps`, `step_sets`, `segment_sets`
void warn_of_overwritten(Analysis& analysis);

}  // namespace pb::choices
