// SPDX-License-Identifier: MIT
// Which data-parallel steps run as one loop. Runs last, and again after fix_choices.
#pragma once

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb::choices {

/// Finds steps that write every c-th cell of the same rows. Run one after the other, each of them would touch all cache
/// lines, and none could use vectors.
///
/// Reads:   `plan.steps` in their order, `plan.sites`, `plan.edges`, `plan.nests`
/// Fills:   `plan.fused`, anew
void find_fused_steps(TransformPlan& plan, const Transform& transform);

}  // namespace pb::choices
