// SPDX-License-Identifier: MIT
// Tells which rules may end a recursion by the contents of matrices (docs/architecture.md 6.9). Where sizes and numbers
// decide alone, a call inside a call with the same ones is proof that the recursion does not end.
#pragma once

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Whether elements, random numbers or anything that the tree of the body does not show may decide which calls the rule
/// makes that lead back to its transform, how often, or with which sizes and numbers.
[[nodiscard]] bool may_recur_by_contents(const Program& program, const Plan& plan, TransformId transform,
                                         const Rule& rule);

}  // namespace pb
