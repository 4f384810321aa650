// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/nest_shape.h"

#include <algorithm>
#include <string>

#include "choicegraph/plan/launch_slices.h"

namespace pb {

const Nest* own_nest(const TransformPlan& plan, StepId step) {
  for (const Nest& nest : plan.nests)
    if (nest.members.size() == 1 && nest.members.front().step == step) return &nest;
  return nullptr;
}

const Nest* own_launch_nest(const TransformPlan& plan, StepId step) {
  const Nest* nest = launch_nest(plan, step);
  return nest != nullptr && nest->members.size() == 1 && has_launches(plan, *nest) ? nest : nullptr;
}

bool runs_in_own_group(const TransformPlan& plan, StepId step) {
  const Nest* nest = own_launch_nest(plan, step);
  return nest != nullptr && nest == own_nest(plan, step);
}

bool is_inside_parallel(const NestMember& member) {
  return !member.loops.empty() && std::all_of(member.loops.begin(), member.loops.end(),
                                              [](const LoopDim& loop) { return loop.order == LoopOrder::Parallel; });
}

bool has_split(const Nest& nest) {
  return is_sliced(nest) && std::any_of(nest.members.begin(), nest.members.end(), is_inside_parallel);
}

const IndexRange& range_of(const Step& step, const std::string& var) {
  return std::find_if(step.loops.begin(), step.loops.end(), [&](const LoopDim& loop) { return loop.var == var; })
      ->range;
}

Step step_in_slices(const TransformPlan& plan, const NestMember& member) {
  Step out = plan.steps[member.step];
  out.loops.clear();
  for (const NestCoordinate& coordinate : member.coordinates)
    if (!coordinate.var.empty())
      out.loops.push_back({coordinate.var, range_of(plan.steps[member.step], coordinate.var)});
  out.loops.insert(out.loops.end(), member.loops.begin(), member.loops.end());
  out.conditions = instance_conditions(plan.steps[member.step]);
  out.is_data_parallel = is_inside_parallel(member);
  return out;
}

}  // namespace pb
