// SPDX-License-Identifier: MIT
#include "clgen/lower/schedule/joint_steps.h"

#include <algorithm>
#include <set>

#include "base/joint_limits.h"
#include "clgen/lower/analysis/written_boxes.h"

namespace pb {
namespace {

/// Whether the step can run on any part of its box by a call for that part alone.
bool is_divisible(const RuleShapes& rules, const TransformPlan& plan, StepId id) {
  const Step& step = plan.steps[id];
  const CellDims cells = joint_cells(rules, plan, id);
  if (!step.is_data_parallel || cells.empty() || cells.size() > std::size_t{kMaxJointDimensions}) return false;
  const bool has_nest =
      std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) { return has_member(nest, id); });
  if (has_nest) return false;
  const RuleShape& rule = rules[step.rule];
  // In a program with kernels, each piece announces the cells that it writes: these must be those of its box.
  return !rule.has_calls() && (!rule.has_kernels || has_fixed(cells) || writes_its_instances(plan, rule, step));
}

std::set<MatrixId> written_by(const TransformPlan& plan, const Step& step) {
  std::set<MatrixId> out;
  for (const SegmentId id : step.segments) out.insert(plan.segments[id].matrix);
  return out;
}

/// Whether some step that may run with this one has a loop along each dimension of the matrix.
bool has_inside(const RuleShapes& rules, const TransformPlan& plan, StepId id, MatrixId matrix) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    return step.is_data_parallel && step.loops.size() == rules[step.rule].matrix(matrix).extents.size() &&
           written_by(plan, step) == written_by(plan, plan.steps[id]);
  });
}

}  // namespace

CellDims joint_cells(const RuleShapes& rules, const TransformPlan& plan, StepId id) {
  const Step& step = plan.steps[id];
  const RuleShape& rule = rules[step.rule];
  CellDims loops = cells_of_loops(step);
  if (step.loops.empty() || rule.rule.outputs.size() != 1 || !step.left_to_others.empty()) return loops;
  const MatrixId matrix = rule.rule.outputs.front().matrix;
  const bool is_fused = std::any_of(plan.fused.begin(), plan.fused.end(), [&](const FusedSteps& fused) {
    return std::find(fused.begin(), fused.end(), id) != fused.end();
  });
  if (is_fused || step.segments.size() != 1 || is_scattered(plan, matrix)) return loops;
  StepCells found = find_step_cells(rule.transform, plan, step, rule.matrix(matrix).extents.size());
  if (!found.why_not.empty() || !has_fixed(found.dims) || !has_inside(rules, plan, id, matrix)) return loops;
  return std::move(found.dims);
}

bool may_join(const RuleShapes& rules, const TransformPlan& plan, const std::vector<StepId>& group, StepId next) {
  const Step& first = plan.steps[group.front()];
  const Step& step = plan.steps[next];
  // A step between the two in the plan may have to run between them.
  if (group.back().index() + 1 != next.index()) return false;
  if (joint_cells(rules, plan, next).size() != joint_cells(rules, plan, group.front()).size() ||
      written_by(plan, step) != written_by(plan, first))
    return false;
  const bool has_order = std::any_of(plan.edges.begin(), plan.edges.end(), [&](const StepEdge& edge) {
    return edge.after == next && std::find(group.begin(), group.end(), edge.before) != group.end();
  });
  return !has_order && is_divisible(rules, plan, group.front()) && is_divisible(rules, plan, next);
}

}  // namespace pb
