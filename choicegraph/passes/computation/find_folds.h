// SPDX-License-Identifier: MIT
// Finds the folds in the bodies of rules.
#pragma once

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb::choices {

struct Analysis;

/// Returns what the loops of the rule's body compute. `element` is the type that ElementT stands for.
[[nodiscard]] Computation find_folds(const Rule& rule, ElementType element);

/// Fills TransformPlan::computations.
void find_computations(Analysis& analysis);

}  // namespace pb::choices
