// SPDX-License-Identifier: MIT
#include "clgen/lower/schedule/step_pieces.h"

#include "clgen/lower/analysis/nest_shape.h"

namespace pb {

bool is_split(const Step& step) { return !step.loops.empty() && step.is_data_parallel; }

StepPieces pieces_of(const TransformPlan& plan, StepId step) {
  if (const Nest* nest = own_nest(plan, step))
    return !is_sliced(*nest) ? StepPieces::Tiles : has_split(*nest) ? StepPieces::Split : StepPieces::None;
  return is_split(plan.steps[step]) ? StepPieces::Split : StepPieces::None;
}

bool needs_frame(const TransformPlan& plan, const RuleShape& rule, StepId step) {
  return rule.has_calls() || pieces_of(plan, step) != StepPieces::None;
}

}  // namespace pb
