// SPDX-License-Identifier: MIT
#include "clgen/lower/schedule/step_pieces.h"

#include <algorithm>
#include <vector>

#include "clgen/lower/analysis/nest_shape.h"

namespace pb {
namespace {

/// Whether the rule, or one that is tried first, may divide a fold or a scan among tasks.
bool divides_loops(const TransformPlan& plan, const RuleShape& rule) {
  return std::any_of(plan.tunables.begin(), plan.tunables.end(), [&](const PlanTunable& tunable) {
    const std::vector<RuleId>& tried = rule.rule.tried;
    return (tunable.role == TunableRole::FoldChunk || tunable.role == TunableRole::ScanChunk) &&
           (tunable.rule == rule.rule_id || std::find(tried.begin(), tried.end(), *tunable.rule) != tried.end());
  });
}

}  // namespace

StepPieces pieces_of(const TransformPlan& plan, StepId step) {
  if (const Nest* nest = own_nest(plan, step))
    return !is_sliced(*nest) ? StepPieces::Tiles : has_split(*nest) ? StepPieces::Split : StepPieces::None;
  const bool is_split = !plan.steps[step].loops.empty() && plan.steps[step].is_data_parallel;
  return is_split ? StepPieces::Split : StepPieces::None;
}

bool needs_frame(const TransformPlan& plan, const RuleShape& rule, StepId step) {
  return rule.has_calls() || pieces_of(plan, step) != StepPieces::None || divides_loops(plan, rule);
}

}  // namespace pb
