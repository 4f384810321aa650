// SPDX-License-Identifier: MIT
#include "clgen/cpp/host_care.h"

#include <algorithm>

#include "base/seeded_fault.h"
#include "clgen/cpp/loop_code.h"
#include "clgen/names.h"

namespace pb {

HostCare care_of(const RuleCode& code, const Step& step) {
  const bool is_chain = !step.is_data_parallel && !step.loops.empty();
  return code.has_kernels && code.has_calls() && is_chain && !PB_FAULT(instances_are_not_announced) ? HostCare::Instance
                                                                                                    : HostCare::Step;
}

HostCare care_in(const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts, std::size_t m) {
  const bool has_calls =
      std::any_of(parts.begin(), parts.end(), [](const NestPart& part) { return part.code.has_calls(); });
  if (!parts[m].code.has_kernels || !has_calls || PB_FAULT(slices_are_not_announced)) return HostCare::Step;
  if (!parts[m].code.has_calls()) return HostCare::Slice;
  if (!is_sliced(nest)) return HostCare::Instance;
  return care_of(parts[m].code, step_in_slices(plan, parts[m].member)) == HostCare::Instance ? HostCare::Instance
                                                                                             : HostCare::Slice;
}

bool announces_instances(const TransformPlan& plan, const RuleCode& code) {
  if (!code.has_kernels || !code.has_calls()) return false;
  for (const StepId id : plan.steps.ids()) {
    const Step& step = plan.steps[id];
    if (step.rule != code.rule_id) continue;
    // Members of nests are no data-parallel steps, whatever their slices are.
    if (!step.is_data_parallel && !step.loops.empty()) return true;
    if (std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) { return has_member(nest, id); }))
      return true;
  }
  return false;
}

std::string one_instance(const Step& step) {
  std::vector<std::string> lo;
  std::vector<std::string> hi;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop) {
    lo.push_back(loop->var);
    hi.push_back(loop->var + " + 1");
  }
  return "[[maybe_unused]] const " + box_type(step) + " pb_one = {{" + joined(lo) + "}, {" + joined(hi) + "}};";
}

}  // namespace pb
