// SPDX-License-Identifier: MIT
// The tunables of a transform: those of the compiler and those of the user.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Lists the values that a configuration sets beside the choices of rules and versions.
///
/// Reads:   `plan.steps`, `plan.nests`, the versions of the alternatives, the bodies of the rules, the transform's own
///          tunables
/// Fills:   `plan.tunables`
void list_tunables(Analysis& analysis);

/// Whether a loop, a nest or a device version of the plan may read the tunable. True for each tunable that the program
/// declares, because the plan does not tell which of them are read.
[[nodiscard]] bool is_read(const TransformPlan& plan, const Transform& transform, const PlanTunable& tunable);

}  // namespace pb::choices
