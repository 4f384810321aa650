// SPDX-License-Identifier: MIT
#include "clgen/cpp/joint_steps.h"

#include <algorithm>
#include <set>

#include "clgen/cpp/step_code.h"

namespace pb {
namespace {

// As kMaxJointDimensions of the runtime.
constexpr std::size_t kMaxDimensions = 3;

/// Whether the step can run on any part of its box, called for that part alone.
bool is_divisible(const CppContext& context, TransformId transform, StepId id) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  const Step& step = plan.steps[id];
  if (!step.is_data_parallel || step.loops.empty() || step.loops.size() > kMaxDimensions) return false;
  const bool has_nest =
      std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) { return has_member(nest, id); });
  if (has_nest) return false;
  const RuleCode code(context, transform, step.rule);
  // What it writes is its box, so that each piece says of its own cells that they were written.
  return !code.has_calls() && step_boxes(plan, code, id).size() == 1;
}

std::set<MatrixId> written_by(const TransformPlan& plan, const Step& step) {
  std::set<MatrixId> out;
  for (const SegmentId id : step.segments) out.insert(plan.segments[id].matrix);
  return out;
}

}  // namespace

bool may_join(const CppContext& context, TransformId transform, const std::vector<StepId>& group, StepId next) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  const Step& first = plan.steps[group.front()];
  const Step& step = plan.steps[next];
  // Others that stand between them might have to run there.
  if (group.back().index() + 1 != next.index()) return false;
  if (step.loops.size() != first.loops.size() || written_by(plan, step) != written_by(plan, first)) return false;
  const bool has_order = std::any_of(plan.edges.begin(), plan.edges.end(), [&](const StepEdge& edge) {
    return edge.after == next && std::find(group.begin(), group.end(), edge.before) != group.end();
  });
  return !has_order && is_divisible(context, transform, group.front()) && is_divisible(context, transform, next);
}

}  // namespace pb
