// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/step_functions.h"

#include <algorithm>
#include <set>

#include "choicegraph/plan/launch_slices.h"
#include "clgen/cpp/steps/fused_code.h"
#include "clgen/cpp/steps/nest_group_code.h"
#include "clgen/cpp/steps/step_code.h"
#include "clgen/lower/analysis/nest_shape.h"

namespace pb {
namespace {

/// Prints the functions of the rule and of the rules that its instances try first, each once.
void emit_rule_functions(Writer& out, const CppContext& context, const RuleCode& code, std::set<RuleId>& done) {
  for (const RuleCode& guest : code.tried) {
    if (!done.insert(guest.rule_id).second) continue;
    emit_rule_function(out, context, guest);
    out.blank();
  }
  if (!done.insert(code.rule_id).second) return;
  emit_rule_function(out, context, code);
  out.blank();
}

bool is_always_in_nest(const TransformPlan& plan, StepId step) {
  return std::any_of(plan.nests.begin(), plan.nests.end(),
                     [&](const Nest& nest) { return always_runs(plan, nest) && has_member(nest, step); });
}

}  // namespace

StepFunctionNames emit_step_functions(Writer& out, const CppContext& context, TransformId transform,
                                      const Schedule& schedule, const std::vector<Kernel>& kernels) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  StepFunctionNames names;
  std::set<RuleId> done;
  StepFunctions shared;
  for (const StepId id : plan.steps.ids()) {
    const RuleCode code(context, transform, plan.steps[id].rule);
    emit_rule_functions(out, context, code, done);
    const bool is_in_group = is_always_in_nest(plan, id) || runs_in_own_group(plan, id);
    if (!is_in_group) names[{id, Version::Cpu}] = emit_cpu_step(out, context, code, id, shared);
    for (const Kernel& kernel : kernels)
      if (kernel.lowered.transform == transform &&
          std::find(kernel.steps.begin(), kernel.steps.end(), id) != kernel.steps.end())
        names[{id, kernel.lowered.version}] = emit_device_step(out, context, code, id, kernel, shared);
  }
  for (std::size_t n = 0; n < plan.nests.size(); ++n)
    if (plan.nests[n].members.size() > 1 || has_launches(plan, plan.nests[n]))
      emit_nest_functions(out, context, transform, n);
  for (const StepGroup& group : schedule.groups)
    if (const auto* joint = std::get_if<JointGroup>(&group))
      for (const JointGroup::Fused& fused : joint->fused) emit_fused_step(out, context, transform, fused.fused);
  return names;
}

}  // namespace pb
