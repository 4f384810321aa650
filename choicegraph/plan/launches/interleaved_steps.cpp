// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/interleaved_steps.h"

#include <algorithm>

namespace pb {
namespace {

bool may_meet(const TransformPlan& plan, StepId a, StepId b) {
  const auto writes = [&](StepId step, MatrixId matrix) {
    const std::vector<SegmentId>& segments = plan.steps[step].segments;
    return std::any_of(segments.begin(), segments.end(),
                       [&](SegmentId id) { return plan.segments[id].matrix == matrix; });
  };
  const std::vector<SegmentId>& segments = plan.steps[a].segments;
  return may_run_together(plan, plan.steps[a], plan.steps[b]) &&
         std::any_of(segments.begin(), segments.end(), [&](SegmentId id) {
           const MatrixId matrix = plan.segments[id].matrix;
           return is_scattered(plan, matrix) && writes(b, matrix);
         });
}

bool has_device_version(const TransformPlan& plan, StepId id) {
  const Step& step = plan.steps[id];
  const std::vector<Alternative>& alternatives = plan.sites[step.site].alternatives;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& alternative) {
    return alternative.versions.size() > 1 && runs(plan, alternative, step);
  });
}

}  // namespace

std::vector<StepEdge> interleaved_steps(const TransformPlan& plan) {
  std::vector<StepEdge> out;
  for (const StepId before : plan.steps.ids())
    for (const StepId after : plan.steps.ids())
      if (before < after && may_meet(plan, before, after) && !has_edge(plan, before, after) &&
          (has_device_version(plan, before) || has_device_version(plan, after)))
        out.push_back({before, after});
  return out;
}

bool is_interleaved(const TransformPlan& plan, StepId step) {
  const auto ids = plan.steps.ids();
  return std::any_of(ids.begin(), ids.end(),
                     [&](StepId other) { return other != step && may_meet(plan, step, other); });
}

}  // namespace pb
