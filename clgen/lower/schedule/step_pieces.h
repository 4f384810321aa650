// SPDX-License-Identifier: MIT
// How the CPU version of a step is cut into tasks.
#pragma once

#include <cstdint>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

enum class StepPieces : std::uint8_t {
  None,   ///< one task
  Split,  ///< boxes of about as many instances as the split size says; its loops may be cut anywhere
  Tiles,  ///< the tiles of its nest
};
[[nodiscard]] StepPieces pieces_of(const TransformPlan& plan, StepId step);

/// Whether the step may spawn, and so needs a frame.
[[nodiscard]] bool needs_frame(const TransformPlan& plan, const RuleShape& rule, StepId step);

}  // namespace pb
