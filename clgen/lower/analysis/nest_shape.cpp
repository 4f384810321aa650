// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/nest_shape.h"

#include <algorithm>
#include <string>

#include "choicegraph/plan/launch_slices.h"
#include "lang/index/index_expr.h"

namespace pb {

const Nest* own_nest(const TransformPlan& plan, StepId step) {
  for (const Nest& nest : plan.nests)
    if (nest.members.size() == 1 && nest.members.front().step == step && !is_for_devices(nest)) return &nest;
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

namespace {

/// Makes a bound of the innermost loop that a condition names of it, so that the loop need not test it. False: it stays
/// a condition.
bool bound_loop(const IndexExpr& condition, std::vector<LoopDim>& loops) {
  const std::vector<std::string> symbols = symbols_of(condition);
  const auto is_named = [&](const LoopDim& loop) {
    return std::find(symbols.begin(), symbols.end(), loop.var) != symbols.end();
  };
  const auto loop = std::find_if(loops.rbegin(), loops.rend(), is_named);
  if (loop == loops.rend()) return false;
  const auto by = affine_coefficient(condition, loop->var);
  if (!by || (*by != 1 && *by != -1)) return false;
  const IndexExpr rest = index_sub(condition, index_mul(index_const(*by), index_symbol(loop->var)));
  const std::vector<std::string> others = symbols_of(rest);
  if (std::find(others.begin(), others.end(), loop->var) != others.end()) return false;
  if (*by == 1)
    loop->lower.push_back(index_sub(index_const(0), rest));
  else
    loop->upper.push_back(index_add(rest, index_const(1)));
  return true;
}

}  // namespace

Step step_in_slices(const TransformPlan& plan, const NestMember& member) {
  Step out = plan.steps[member.step];
  out.loops.clear();
  for (const NestCoordinate& coordinate : member.coordinates)
    if (!coordinate.var.empty())
      out.loops.push_back({coordinate.var, range_of(plan.steps[member.step], coordinate.var)});
  out.loops.insert(out.loops.end(), member.loops.begin(), member.loops.end());
  out.conditions = instance_conditions(plan.steps[member.step]);
  std::erase_if(out.conditions, [&](const IndexExpr& condition) { return bound_loop(condition, out.loops); });
  out.is_data_parallel = is_inside_parallel(member);
  return out;
}

}  // namespace pb
