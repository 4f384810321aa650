// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launch_slices.h"

#include <algorithm>

#include "choicegraph/plan/launch_scans.h"

namespace pb {

const Nest* launch_nest(const TransformPlan& plan, StepId step) {
  if (scan_of_launch(plan, step) != nullptr) return nullptr;
  const Nest* out = nullptr;
  for (const Nest& nest : plan.nests) {
    if (!has_member(nest, step)) continue;
    if (always_runs(plan, nest)) {
      out = &nest;
      break;
    }
    if (nest.members.size() > 1) return nullptr;
    if (nest.rows.front().kind == RowKind::Slices) out = &nest;
  }
  if (out == nullptr || out->rows.size() != 1 || out->rows.front().kind != RowKind::Slices) return nullptr;
  const std::vector<LoopDim>& inside = member_of(*out, step).loops;
  const bool is_parallel =
      std::all_of(inside.begin(), inside.end(), [](const LoopDim& loop) { return loop.order == LoopOrder::Parallel; });
  return is_parallel && !plan.steps[step].loops.empty() ? out : nullptr;
}

Step step_of_launch(const TransformPlan& plan, StepId step) {
  Step out = plan.steps[step];
  const Nest* nest = launch_nest(plan, step);
  if (nest == nullptr) return out;
  out.loops = member_of(*nest, step).loops;
  out.is_data_parallel = true;
  return out;
}

std::string slice_variable(const TransformPlan& plan, StepId step) {
  const Nest* nest = launch_nest(plan, step);
  return nest == nullptr ? "" : member_of(*nest, step).coordinates.front().var;
}

bool has_launches(const TransformPlan& plan, const Nest& nest) {
  return std::any_of(nest.members.begin(), nest.members.end(), [&](const NestMember& member) {
    return launch_nest(plan, member.step) == &nest && has_device_version(plan, plan.steps[member.step]);
  });
}

bool has_device_version(const TransformPlan& plan, const Step& step) {
  const std::vector<Alternative>& alternatives = plan.sites[step.site].alternatives;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& alternative) {
    return alternative.versions.size() > 1 && runs(plan, alternative, step);
  });
}

}  // namespace pb
