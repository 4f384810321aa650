// SPDX-License-Identifier: MIT
#include "choicegraph/plan/plan.h"

#include <algorithm>

namespace pb {

bool runs(const TransformPlan& plan, const Alternative& alternative, const Step& step) {
  const auto is_there = [&](SegmentId id) { return plan.segments[id].site == step.site; };
  const auto picks = [&](SegmentId id) { return alternative.rules[plan.segments[id].part] == step.rule; };
  return std::all_of(step.segments.begin(), step.segments.end(),
                     [&](SegmentId id) { return !is_there(id) || picks(id); }) &&
         std::none_of(step.left_to_others.begin(), step.left_to_others.end(),
                      [&](SegmentId id) { return is_there(id) && picks(id); });
}

bool is_one_cell(const InputBox& box) {
  return std::all_of(box.extent.begin(), box.extent.end(), [](const IndexExpr& extent) { return extent.is_const(1); });
}

bool moves_steadily(const Step& step, const InputBox& box) {
  return std::all_of(step.loops.begin(), step.loops.end(), [&](const LoopDim& loop) {
    return std::all_of(box.lo.begin(), box.lo.end(),
                       [&](const IndexExpr& lo) { return affine_coefficient(lo, loop.var).has_value(); });
  });
}

bool may_be_staged(const Step& step, const InputBox& box) {
  return box.extent_is_uniform && !is_one_cell(box) && moves_steadily(step, box);
}

bool may_run_together(const TransformPlan& plan, const Step& a, const Step& b) {
  if (a.site != b.site) return true;
  const std::vector<Alternative>& alternatives = plan.sites[a.site].alternatives;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& alternative) {
    return runs(plan, alternative, a) && runs(plan, alternative, b);
  });
}

const Computation& computation_of(const TransformPlan& plan, RuleId rule) {
  static const Computation kNone;
  return plan.computations.empty() ? kNone : plan.computations.at(rule.index());
}

std::set<SiteId> sites_of(const TransformPlan& plan, RuleId rule) {
  std::set<SiteId> out;
  for (const Step& step : plan.steps)
    if (step.rule == rule) out.insert(step.site);
  for (const SiteId id : plan.sites.ids())
    for (const Alternative& alternative : plan.sites[id].alternatives)
      if (std::find(alternative.rules.begin(), alternative.rules.end(), rule) != alternative.rules.end())
        out.insert(id);
  return out;
}

bool has_edge(const TransformPlan& plan, StepId a, StepId b) {
  return std::any_of(plan.edges.begin(), plan.edges.end(), [&](const StepEdge& edge) {
    return (edge.before == a && edge.after == b) || (edge.before == b && edge.after == a);
  });
}

bool is_scattered(const TransformPlan& plan, MatrixId matrix) {
  return std::any_of(plan.segments.begin(), plan.segments.end(),
                     [&](const Segment& segment) { return segment.matrix == matrix && !segment.conditions.empty(); });
}

bool is_box(const Step& step) {
  return step.conditions.empty() &&
         std::all_of(step.loops.begin(), step.loops.end(), [](const LoopDim& loop) { return loop.is_plain(); });
}

std::vector<IndexExpr> instance_conditions(const Step& step) {
  std::vector<IndexExpr> out;
  for (const LoopDim& loop : step.loops) {
    const IndexExpr at = index_symbol(loop.var);
    for (const IndexExpr& bound : loop.lower) out.push_back(index_sub(at, bound));
    for (const IndexExpr& bound : loop.upper) out.push_back(index_sub(index_sub(bound, at), index_const(1)));
    if (loop.stride == 1) continue;
    const IndexExpr stride = index_const(loop.stride);
    const IndexExpr beyond = index_sub(at, loop.offset);
    out.push_back(index_sub(index_mul(stride, index_floordiv(beyond, stride)), beyond));
  }
  out.insert(out.end(), step.conditions.begin(), step.conditions.end());
  return out;
}

bool always_runs(const TransformPlan& plan, const Step& step) {
  const std::vector<Alternative>& alternatives = plan.sites[step.site].alternatives;
  return std::all_of(alternatives.begin(), alternatives.end(),
                     [&](const Alternative& alternative) { return runs(plan, alternative, step); });
}

bool always_runs(const TransformPlan& plan, const Nest& nest) {
  return nest.members.size() > 1 &&
         std::all_of(nest.members.begin(), nest.members.end(),
                     [&](const NestMember& member) { return always_runs(plan, plan.steps[member.step]); });
}

bool is_for_devices(const Nest& nest) {
  return nest.members.size() == 1 && nest.rows.front().kind == RowKind::Slices && nest.members.front().loops.empty();
}

bool is_ordered(const TransformPlan& plan) {
  for (const Nest& nest : plan.nests)
    if (nest.members.size() > 1 && !always_runs(plan, nest)) return false;
  return std::all_of(plan.edges.begin(), plan.edges.end(), [&](const StepEdge& edge) {
    if (edge.before < edge.after) return true;
    return std::any_of(plan.nests.begin(), plan.nests.end(),
                       [&](const Nest& nest) { return has_member(nest, edge.before) && has_member(nest, edge.after); });
  });
}

std::string order_words(const TransformPlan& plan, StepId step) {
  for (const Nest& nest : plan.nests) {
    if (!has_member(nest, step)) continue;
    std::string out = nest.rows.front().kind == RowKind::Slices ? "slice by slice" : "in tiles";
    if (nest.members.size() > 1) out += " with others";
    return out;
  }
  const std::vector<LoopDim>& loops = plan.steps[step].loops;
  const bool is_ordered =
      std::any_of(loops.begin(), loops.end(), [](const LoopDim& loop) { return loop.order != LoopOrder::Parallel; });
  return is_ordered ? "one after the other" : "";
}

}  // namespace pb
