// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/rule_shapes.h"

#include <algorithm>
#include <utility>

#include "clgen/lower/analysis/nest_shape.h"

namespace pb {
namespace {

/// Whether some loops of the rule may announce each instance.
bool announces_instances(const TransformPlan& plan, const RuleShape& rule) {
  if (!rule.has_kernels || !rule.has_calls()) return false;
  for (const StepId id : plan.steps.ids()) {
    const Step& step = plan.steps[id];
    if (step.rule != rule.rule_id) continue;
    // A step of a nest counts in any case, whether or not its slices are data-parallel.
    if (!step.is_data_parallel && !step.loops.empty()) return true;
    if (std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) { return has_member(nest, id); }))
      return true;
  }
  return false;
}

}  // namespace

RuleShapes find_rule_shapes(const Program& program, const TransformPlan& plan, bool has_kernels) {
  RuleShapes out;
  for (const RuleId id : program.transforms[plan.transform].rules.ids()) {
    RuleShape rule(program, plan, id, has_kernels);
    if (announces_instances(plan, rule))
      for (RuleMatrix& use : rule.matrices) use.needs_handle |= rule.is_awaited(use);
    out.add(std::move(rule));
  }
  return out;
}

}  // namespace pb
