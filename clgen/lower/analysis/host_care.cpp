// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/host_care.h"

#include <algorithm>

#include "base/seeded_fault.h"
#include "choicegraph/plan/launch_slices.h"
#include "clgen/lower/analysis/nest_shape.h"

namespace pb {

HostCare care_of(const RuleShape& rule, const Step& step) {
  const bool is_chain = !step.is_data_parallel && !step.loops.empty();
  return rule.has_kernels && rule.has_calls() && is_chain && !PB_FAULT(instances_are_not_announced) ? HostCare::Instance
                                                                                                    : HostCare::Step;
}

HostCare care_in(const TransformPlan& plan, const Nest& nest, const std::vector<const RuleShape*>& rules,
                 std::size_t m) {
  const bool has_calls =
      std::any_of(rules.begin(), rules.end(), [](const RuleShape* rule) { return rule->has_calls(); });
  const bool may_launch = has_calls || has_launches(plan, nest);
  if (!rules[m]->has_kernels || !may_launch || PB_FAULT(slices_are_not_announced)) return HostCare::Step;
  if (!rules[m]->has_calls()) return HostCare::Slice;
  if (!is_sliced(nest)) return HostCare::Instance;
  return care_of(*rules[m], step_in_slices(plan, nest.members[m])) == HostCare::Instance ? HostCare::Instance
                                                                                         : HostCare::Slice;
}

}  // namespace pb
