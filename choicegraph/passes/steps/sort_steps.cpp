// SPDX-License-Identifier: MIT
#include "choicegraph/passes/steps/sort_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace pb::choices {
namespace {

/// The steps of one nest that always runs, in the nest's order, or one step outside of such nests.
using Unit = std::vector<StepId>;

/// Units in the order in which the segments that they write stand in the header.
std::vector<Unit> units_of(const TransformPlan& plan) {
  std::vector<Unit> out;
  std::set<StepId> in_nests;
  for (const Nest& nest : plan.nests) {
    if (nest.members.size() < 2 || !always_runs(plan, nest)) continue;
    if (in_nests.contains(nest.members.front().step)) continue;
    out.emplace_back();
    for (const NestMember& member : nest.members) {
      out.back().push_back(member.step);
      in_nests.insert(member.step);
    }
  }
  for (const StepId id : plan.steps.ids())
    if (!in_nests.contains(id)) out.push_back({id});
  const auto first_segment = [&](const Unit& unit) {
    SegmentId out_id = plan.steps[unit.front()].segments.front();
    for (const StepId id : unit) out_id = std::min(out_id, plan.steps[id].segments.front());
    return out_id;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Unit& a, const Unit& b) { return first_segment(a) < first_segment(b); });
  return out;
}

}  // namespace

/// The steps in an order found by Kahn's algorithm. Where only cycles are left, which go away under every assignment,
/// the preferred unit is next.
std::vector<StepId> sorted_steps(const TransformPlan& plan) {
  std::vector<Unit> waiting = units_of(plan);
  std::map<StepId, std::size_t> unit_of;
  for (std::size_t u = 0; u < waiting.size(); ++u)
    for (const StepId id : waiting[u]) unit_of[id] = u;
  std::vector<bool> is_done(waiting.size(), false);
  const auto is_ready = [&](std::size_t unit) {
    return std::none_of(plan.edges.begin(), plan.edges.end(), [&](const StepEdge& edge) {
      return unit_of[edge.after] == unit && unit_of[edge.before] != unit && !is_done[unit_of[edge.before]];
    });
  };
  std::vector<StepId> out;
  for (std::size_t count = 0; count < waiting.size(); ++count) {
    std::size_t next = waiting.size();
    for (std::size_t u = waiting.size(); u-- > 0;)
      if (!is_done[u] && (next == waiting.size() || is_ready(u) || !is_ready(next))) next = u;
    is_done[next] = true;
    out.insert(out.end(), waiting[next].begin(), waiting[next].end());
  }
  return out;
}

namespace {

void renumber_edges(std::vector<StepEdge>& edges, const std::vector<StepId>& new_id) {
  for (StepEdge& edge : edges) edge = {new_id[edge.before.index()], new_id[edge.after.index()]};
  std::sort(edges.begin(), edges.end());
}

}  // namespace

std::vector<StepId> renumber_steps(TransformPlan& plan, const std::vector<StepId>& order) {
  std::vector<StepId> new_id(plan.steps.size());
  Store<StepId, Step> steps;
  for (const StepId old : order) new_id[old.index()] = steps.add(std::move(plan.steps[old]));
  plan.steps = std::move(steps);
  renumber_edges(plan.edges, new_id);
  for (Nest& nest : plan.nests)
    for (NestMember& member : nest.members) member.step = new_id[member.step.index()];
  std::stable_sort(plan.nests.begin(), plan.nests.end(), [](const Nest& a, const Nest& b) {
    if (a.members.size() != b.members.size()) return a.members.size() > b.members.size();
    return a.members.front().step < b.members.front().step;
  });
  return new_id;
}

void sort_steps(Analysis& analysis) {
  const std::vector<StepId> order = sorted_steps(analysis.plan);
  std::vector<StepSets> sets;
  for (const StepId old : order) sets.push_back(std::move(analysis.step_sets[old.index()]));
  analysis.step_sets = std::move(sets);
  renumber_steps(analysis.plan, order);
}

}  // namespace pb::choices
