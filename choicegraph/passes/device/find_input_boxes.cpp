// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_input_boxes.h"

#include <algorithm>

namespace pb::choices {
namespace {

/// The formulas' scope, with the rule variables that are never negative in the step.
FormulaScope scope_of(const Analysis& analysis, const Region& instances) {
  FormulaScope out = analysis.scope;
  for (const std::string& var : instances.dims())
    if (instances.where_nonnegative(index_sub(index_const(-1), index_symbol(var))).is_empty())
      out.nonnegative.push_back(var);
  out.values = instances;
  return out;
}

InputBox find_box(const RegionAccess& access, std::size_t input, const FormulaScope& scope,
                  const std::vector<std::string>& vars) {
  InputBox out;
  out.input = input;
  out.extent_is_uniform = true;
  out.is_same_for_all_instances = true;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const IndexExpr lo = to_index_expr(access.lo[d], scope).value_or(index_const(0));
    const IndexExpr hi = to_index_expr(access.hi[d], scope).value_or(index_const(0));
    const IndexExpr extent = index_sub(hi, lo);
    out.hi.push_back(hi);
    if (names_any(extent, vars)) out.extent_is_uniform = false;
    if (names_any(lo, vars)) out.is_same_for_all_instances = false;
    out.lo.push_back(lo);
    out.extent.push_back(extent);
  }
  if (!out.extent_is_uniform) {
    out.extent.clear();
    out.is_same_for_all_instances = false;
  }
  return out;
}

}  // namespace

void find_input_boxes(Analysis& analysis) {
  for (const StepId id : analysis.plan.steps.ids()) {
    Step& step = analysis.plan.steps[id];
    const Rule& rule = analysis.rule(step.rule);
    const Region& instances = analysis.step_sets[id.index()].instances;
    const FormulaScope scope = scope_of(analysis, instances);
    for (std::size_t i = 0; i < rule.inputs.size(); ++i)
      step.input_boxes.push_back(find_box(rule.inputs[i], i, scope, instances.dims()));
  }
}

}  // namespace pb::choices
