// SPDX-License-Identifier: MIT
#include "clgen/lower/schedule/step_pieces.h"

#include "clgen/lower/analysis/nest_shape.h"

namespace pb {

StepPieces pieces_of(const TransformPlan& plan, StepId step) {
  if (const Nest* nest = own_nest(plan, step))
    return !is_sliced(*nest) ? StepPieces::Tiles : has_split(*nest) ? StepPieces::Split : StepPieces::None;
  const bool is_split = !plan.steps[step].loops.empty() && plan.steps[step].is_data_parallel;
  return is_split ? StepPieces::Split : StepPieces::None;
}

bool needs_frame(const TransformPlan& plan, const RuleShape& rule, StepId step) {
  return rule.has_calls() || pieces_of(plan, step) != StepPieces::None;
}

}  // namespace pb
