// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launch_scans.h"

#include <algorithm>

namespace pb {

const Scan* scan_of_launch(const TransformPlan& plan, StepId id) {
  const Step& step = plan.steps[id];
  const std::optional<Scan>& scan = computation_of(plan, step.rule).scan;
  if (!scan || !scan->is_free || step.is_data_parallel || !is_box(step) || !step.conditions.empty()) return nullptr;
  const auto may_run = [&](const LoopDim& loop) {
    return loop.is_plain() && (loop.var == scan->var) != (loop.order == LoopOrder::Parallel);
  };
  const auto is_along = [&](const LoopDim& loop) { return loop.var == scan->var; };
  const bool has_others = std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) {
    return nest.members.size() > 1 && has_member(nest, id);
  });
  // Lines along versions of which two have memory would store over what they have made.
  const bool has_versions = std::any_of(step.segments.begin(), step.segments.end(), [&](SegmentId segment) {
    return nest_of_versions(plan, plan.segments[segment].matrix) != nullptr;
  });
  return !has_others && !has_versions && std::all_of(step.loops.begin(), step.loops.end(), may_run) &&
                 std::any_of(step.loops.begin(), step.loops.end(), is_along)
             ? &*scan
             : nullptr;
}

std::size_t loop_of(const Scan& scan, const Step& step) {
  std::size_t out = 0;
  while (step.loops[step.loops.size() - 1 - out].var != scan.var) ++out;
  return out;
}

}  // namespace pb
