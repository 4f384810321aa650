// SPDX-License-Identifier: MIT
// How the CPU version of a step is cut into tasks.
#pragma once

#include <cstdint>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

/// What the tasks of a step run.
enum class StepPieces : std::uint8_t {
  None,   ///< one task runs the whole step
  Split,  ///< a task runs a box of instances, at most about as many as the split size; loops may be cut anywhere
  Tiles,  ///< a task runs a tile of the step's own nest
};
/// Returns how a step is cut if it runs by itself or is the only member of a nest.
[[nodiscard]] StepPieces pieces_of(const TransformPlan& plan, StepId step);

/// Whether the step needs a frame, because it may spawn tasks: it is cut into pieces, or its rule calls transforms or
/// divides folds or scans.
[[nodiscard]] bool needs_frame(const TransformPlan& plan, const RuleShape& rule, StepId step);

}  // namespace pb
