// SPDX-License-Identifier: MIT
// Questions about nests and the order of steps that the Plan answers by itself.
#include <algorithm>

#include "choicegraph/plan.h"

namespace pb {

bool has_member(const Nest& nest, StepId id) {
  return std::any_of(nest.members.begin(), nest.members.end(),
                     [&](const NestMember& member) { return member.step == id; });
}

IndexExpr to_index_expr(const NestCoordinate& coordinate) {
  if (coordinate.var.empty()) return coordinate.shift;
  return index_add(index_mul(index_const(coordinate.sign), index_symbol(coordinate.var)), coordinate.shift);
}

std::optional<NestCoordinate> to_nest_coordinate(const IndexExpr& at, const Rule& rule) {
  NestCoordinate out{{}, 1, at};
  for (const std::string& symbol : symbols_of(at)) {
    const auto is_it = [&](const RuleVar& var) { return var.name == symbol; };
    if (std::none_of(rule.vars.begin(), rule.vars.end(), is_it)) continue;
    if (!out.var.empty()) return std::nullopt;
    out.var = symbol;
  }
  if (out.var.empty()) return out;
  for (const int sign : {1, -1}) {
    const IndexExpr rest = index_sub(at, index_mul(index_const(sign), index_symbol(out.var)));
    const std::vector<std::string> symbols = symbols_of(rest);
    if (std::find(symbols.begin(), symbols.end(), out.var) != symbols.end()) continue;
    out.sign = sign;
    out.shift = rest;
    return out;
  }
  return std::nullopt;
}

std::string tile_name(const TransformPlan& plan, const Transform& transform, const Nest& nest) {
  std::string out;
  for (const NestMember& member : nest.members)
    out += (out.empty() ? "" : "+") + transform.rules[plan.steps[member.step].rule].name;
  return out + ".tile";
}

std::string order_words(const TransformPlan& plan, StepId step) {
  for (const Nest& nest : plan.nests) {
    if (!has_member(nest, step)) continue;
    std::string out = nest.rows.front().kind == RowKind::Slices ? "slice by slice" : "in tiles";
    if (nest.members.size() > 1) out += " with others";
    return out;
  }
  const std::vector<LoopDim>& loops = plan.steps[step].loops;
  const bool is_ordered =
      std::any_of(loops.begin(), loops.end(), [](const LoopDim& loop) { return loop.order != LoopOrder::Parallel; });
  return is_ordered ? "one after the other" : "";
}

bool always_runs(const TransformPlan& plan, const Step& step) {
  const std::vector<Alternative>& alternatives = plan.sites[step.site].alternatives;
  return std::all_of(alternatives.begin(), alternatives.end(),
                     [&](const Alternative& alternative) { return runs(plan, alternative, step); });
}

bool always_runs(const TransformPlan& plan, const Nest& nest) {
  return nest.members.size() > 1 && std::all_of(nest.members.begin(), nest.members.end(), [&](const NestMember& member) {
           return always_runs(plan, plan.steps[member.step]);
         });
}

bool is_ordered(const TransformPlan& plan) {
  for (const Nest& nest : plan.nests)
    if (nest.members.size() > 1 && !always_runs(plan, nest)) return false;
  return std::all_of(plan.edges.begin(), plan.edges.end(), [&](const StepEdge& edge) {
    if (edge.before < edge.after) return true;
    return std::any_of(plan.nests.begin(), plan.nests.end(),
                       [&](const Nest& nest) { return has_member(nest, edge.before) && has_member(nest, edge.after); });
  });
}

}  // namespace pb
