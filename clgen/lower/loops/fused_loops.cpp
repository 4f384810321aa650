// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/fused_loops.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "clgen/lower/analysis/independence.h"

namespace pb {
namespace {

/// Adds the names that other steps have for the variables of the loops, where these differ from the names in the first
/// step.
void add_other_names(const TransformPlan& plan, const FusedSteps& steps, TreeBlock& out) {
  const std::vector<LoopDim>& loops = plan.steps[steps[0]].loops;
  std::set<std::string> known;
  for (const StepId id : steps) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const std::string& var = plan.steps[id].loops[i].var;
      if (var != loops[i].var && known.insert(var).second) out.push_back({Let{var, index_symbol(loops[i].var)}});
    }
  }
}

}  // namespace

TreeBlock fused_loops(const std::vector<const RuleShape*>& rules, const TransformPlan& plan, const FusedSteps& steps) {
  const std::vector<LoopDim>& loops = plan.steps[steps[0]].loops;
  TreeBlock block;
  add_other_names(plan, steps, block);
  for (std::size_t i = 0; i < rules.size(); ++i) block.push_back({ComputeResult{rules[i]->rule_id, i}});
  for (std::size_t i = 0; i < rules.size(); ++i) block.push_back({StoreResult{rules[i]->rule_id, i}});
  const bool is_independent =
      std::all_of(rules.begin(), rules.end(), [](const RuleShape* rule) { return has_independent_body(rule->rule); });
  for (std::size_t i = loops.size(); i-- > 0;) {
    TreeLoop loop;
    loop.role = is_independent && i + 1 == loops.size() ? LoopRole::Vector : LoopRole::Serial;
    loop.var = loops[i].var;
    loop.dim = static_cast<int>(loops.size() - 1 - i);
    loop.lo = loop_begin(loop.var);
    loop.hi = loop_end(loop.var);
    loop.step = index_const(1);
    loop.body = std::move(block);
    block = {{std::move(loop)}};
  }
  return block;
}

}  // namespace pb
