// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/interleaved_steps.h"

#include <algorithm>

#include "choicegraph/plan/launch_slices.h"

namespace pb {
namespace {

bool writes(const Transform& transform, const Step& step, MatrixId matrix) {
  const std::vector<RegionAccess>& outputs = transform.rules[step.rule].outputs;
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const RegionAccess& output) { return output.matrix == matrix; });
}

bool has_any_of(const TransformPlan& plan, const std::vector<SegmentId>& segments, MatrixId matrix) {
  return std::any_of(segments.begin(), segments.end(),
                     [&](SegmentId id) { return plan.segments[id].matrix == matrix; });
}

/// Whether `writer` writes a matrix as a whole on a device, which the other step accesses.
bool may_be_in_the_way(const Transform& transform, const TransformPlan& plan, const Step& writer, const Step& other) {
  const std::vector<RegionAccess>& outputs = transform.rules[writer.rule].outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](const RegionAccess& output) {
    const MatrixId matrix = output.matrix;
    return (is_scattered(plan, matrix) || !has_any_of(plan, writer.segments, matrix)) &&
           (writes(transform, other, matrix) || has_any_of(plan, other.reads, matrix));
  });
}

bool may_run_beside(const TransformPlan& plan, StepId a, StepId b) {
  return a != b && may_run_together(plan, plan.steps[a], plan.steps[b]) && !has_edge(plan, a, b);
}

}  // namespace

std::vector<StepEdge> interleaved_steps(const Transform& transform, const TransformPlan& plan) {
  std::vector<StepEdge> out;
  if (!is_ordered(plan)) return out;
  const auto is_in_the_way = [&](StepId writer, StepId other) {
    return has_device_version(plan, plan.steps[writer]) &&
           may_be_in_the_way(transform, plan, plan.steps[writer], plan.steps[other]);
  };
  for (const StepId before : plan.steps.ids())
    for (const StepId after : plan.steps.ids())
      if (before < after && may_run_beside(plan, before, after) &&
          (is_in_the_way(before, after) || is_in_the_way(after, before)))
        out.push_back({before, after});
  return out;
}

bool is_interleaved(const Transform& transform, const TransformPlan& plan, StepId step) {
  const auto ids = plan.steps.ids();
  return std::any_of(ids.begin(), ids.end(), [&](StepId other) {
    return may_run_beside(plan, step, other) && may_be_in_the_way(transform, plan, plan.steps[step], plan.steps[other]);
  });
}

}  // namespace pb
