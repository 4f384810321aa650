// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/rule_shape.h"

#include <algorithm>
#include <cmath>

#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Returns the values of the tunables of the rule's loops. These tunables are single numbers for all sizes.
std::vector<LoopValue> loop_values_of(const TransformPlan& plan, RuleId rule) {
  std::vector<LoopValue> out;
  for (const PlanTunable& tunable : plan.tunables) {
    if (tunable.rule != rule || !is_loop_value(tunable.role)) continue;
    out.push_back({tunable.role, !tunable.is_constant() ? index_symbol(loop_value_name(tunable.role, rule))
                                                        : index_const(std::llround(tunable.fixed.front()))});
  }
  return out;
}

}  // namespace

RuleShape::RuleShape(const Program& program, const TransformPlan& plan, RuleId in_rule, bool in_has_kernels)
    : transform_id(plan.transform),
      rule_id(in_rule),
      transform(program.transforms[plan.transform]),
      rule(transform.rules[in_rule]),
      facts(find_rule_facts(rule, computation_of(plan, in_rule).filled)),
      matrices(matrices_of_rule(transform, rule, facts)),
      element(program.element),
      loop_values(loop_values_of(plan, in_rule)),
      has_kernels(in_has_kernels) {
  for (const RuleId id : rule.tried) {
    const RuleShape guest(program, plan, id, in_has_kernels);
    join_matrices(guest);
    guests_call = guests_call || guest.has_calls();
  }
}

IndexExpr RuleShape::loop_value(TunableRole role, std::int64_t otherwise) const {
  for (const LoopValue& each : loop_values)
    if (each.role == role) return each.value;
  return index_const(otherwise);
}

bool RuleShape::is_awaited(const RuleMatrix& use) const {
  return use.is_touched && (matrix(use.matrix).num_dims() > 0 || matrix(use.matrix).role != MatrixRole::From);
}

void RuleShape::join_matrices(const RuleShape& other) {
  for (const RuleMatrix& use : other.matrices) {
    const auto found =
        std::find_if(matrices.begin(), matrices.end(), [&](const RuleMatrix& own) { return own.matrix == use.matrix; });
    if (found == matrices.end()) {
      matrices.push_back(use);
      continue;
    }
    found->is_output |= use.is_output;
    found->is_input |= use.is_input;
    found->needs_handle |= use.needs_handle;
    found->is_touched |= use.is_touched;
    found->is_overwritten &= use.is_overwritten;
  }
}

}  // namespace pb
