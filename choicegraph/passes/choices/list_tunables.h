// SPDX-License-Identifier: MIT
// The tunables of a transform: those of the compiler and those of the user.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Lists what the configuration decides beside rules and versions.
///
/// Reads:   `plan.steps`, `plan.nests`, the versions of the alternatives, the transform's own tunables
/// Fills:   `plan.tunables`
void list_tunables(Analysis& analysis);

/// Whether anything in the plan may read the tunable: versions, nests and loops; for tunables of the user this is not
/// known, so the answer is yes.
[[nodiscard]] bool is_read(const TransformPlan& plan, const Transform& transform, const PlanTunable& tunable);

}  // namespace pb::choices
