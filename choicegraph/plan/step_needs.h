// SPDX-License-Identifier: MIT
// Finds steps of a Plan that run only because other steps read their results. The code generator makes such a step
// depend on its readers.
#pragma once

#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Steps that write only temporaries; several of them read each other. They run only if one of the readers, which are
/// other steps, does: cells that no chosen rule reads are not computed (docs/reference/language.md 6.4).
struct StepNeed {
  std::vector<StepId> steps;
  std::vector<StepId> readers;
};
/// All steps that may stay idle although their choices run them. Steps of readers come before those of what they read.
[[nodiscard]] std::vector<StepNeed> needs_of(const TransformPlan& plan, const Transform& transform);

}  // namespace pb
