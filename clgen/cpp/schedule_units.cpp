// SPDX-License-Identifier: MIT
#include "clgen/cpp/schedule_units.h"

#include <algorithm>
#include <set>
#include <utility>

#include "clgen/cpp/joint_steps.h"

namespace pb {
namespace {

bool is_in(const ScheduleUnit& unit, StepId step) {
  return std::find(unit.steps.begin(), unit.steps.end(), step) != unit.steps.end();
}

bool is_chained(const TransformPlan& plan, const ScheduleUnit& a, const ScheduleUnit& b) {
  return std::any_of(plan.edges.begin(), plan.edges.end(),
                     [&](const StepEdge& edge) { return is_in(a, edge.before) && is_in(b, edge.after); });
}

std::vector<ScheduleUnit> single_units(const TransformPlan& plan) {
  std::vector<ScheduleUnit> out;
  std::set<StepId> done;
  for (const StepId id : plan.steps.ids()) {
    if (done.contains(id)) continue;
    ScheduleUnit unit{{id}, SIZE_MAX};
    for (std::size_t n = 0; n < plan.nests.size() && unit.nest == SIZE_MAX; ++n) {
      if (!always_runs(plan, plan.nests[n]) || !has_member(plan.nests[n], id)) continue;
      unit.steps.clear();
      unit.nest = n;
      for (const NestMember& member : plan.nests[n].members) unit.steps.push_back(member.step);
    }
    done.insert(unit.steps.begin(), unit.steps.end());
    out.push_back(std::move(unit));
  }
  return out;
}

}  // namespace

bool have_company(const TransformPlan& plan, const std::vector<StepId>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (may_run_together(plan, plan.steps[steps[i]], plan.steps[steps[k]])) return true;
  return false;
}

std::vector<ScheduleUnit> schedule_units(const CppContext& context, TransformId transform) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  std::vector<ScheduleUnit> units = single_units(plan);
  if (!is_ordered(plan)) return units;
  std::vector<ScheduleUnit> out;
  for (std::size_t i = 0; i < units.size();) {
    ScheduleUnit unit = units[i];
    std::size_t end = i + 1;
    for (; end < units.size() && unit.nest == SIZE_MAX && units[end].nest == SIZE_MAX; ++end) {
      if (!may_join(context, transform, unit.steps, units[end].steps.front())) break;
      unit.steps.push_back(units[end].steps.front());
    }
    if (!have_company(plan, unit.steps)) {
      unit = units[i];
      end = i + 1;
    }
    out.push_back(std::move(unit));
    i = end;
  }
  return out;
}

bool is_sequence(const StepDispatch& dispatch, const TransformPlan& plan, const std::vector<ScheduleUnit>& units) {
  for (const ScheduleUnit& unit : units) {
    const auto has_device = [&](StepId id) { return dispatch.conditions().has_device(id); };
    if (unit.is_joint() && std::any_of(unit.steps.begin(), unit.steps.end(), has_device)) return false;
  }
  for (std::size_t i = 0; i + 1 < units.size(); ++i) {
    const Step& a = plan.steps[units[i].steps.front()];
    const Step& b = plan.steps[units[i + 1].steps.front()];
    const bool exclude = !units[i].is_joint() && !units[i + 1].is_joint() && !may_run_together(plan, a, b);
    if (!exclude && !is_chained(plan, units[i], units[i + 1])) return false;
  }
  return true;
}

}  // namespace pb
