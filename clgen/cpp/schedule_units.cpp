// SPDX-License-Identifier: MIT
#include "clgen/cpp/schedule_units.h"

#include <algorithm>
#include <set>
#include <utility>

#include "clgen/cpp/joint_steps.h"
#include "clgen/cpp/step_code.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/step_conditions.h"

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

/// Whether some two of the steps may run in the same call.
bool have_company(const TransformPlan& plan, const std::vector<StepId>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (may_run_together(plan, plan.steps[steps[i]], plan.steps[steps[k]])) return true;
  return false;
}

std::vector<ScheduleUnit> units_of(const CppContext& context, TransformId transform) {
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

bool is_sequence(const StepConditions& conditions, const TransformPlan& plan, const std::vector<ScheduleUnit>& units) {
  for (const ScheduleUnit& unit : units) {
    const auto has_device = [&](StepId id) { return conditions.has_device(id); };
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

/// Not where a device may run a step, whose choice depends on the frame, nor where all steps need one or two of them
/// run.
bool has_frames_in_steps(const CppContext& context, TransformId transform, const StepConditions& conditions,
                         const std::vector<ScheduleUnit>& units) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  std::vector<StepId> with_frame;
  for (const ScheduleUnit& unit : units) {
    const StepId step = unit.steps.front();
    if (unit.nest != SIZE_MAX || unit.is_joint() || conditions.has_device(step)) return false;
    if (needs_frame(context, transform, step)) with_frame.push_back(step);
  }
  return with_frame.size() < units.size() && !have_company(plan, with_frame);
}

}  // namespace

Schedule make_schedule(const CppContext& context, TransformId transform) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  const StepConditions conditions(context.program.transforms[transform], plan);
  Schedule out;
  out.units = units_of(context, transform);
  out.is_ordered = is_ordered(plan);
  out.is_sequence = out.is_ordered && is_sequence(conditions, plan, out.units);
  out.has_frames_in_steps = out.is_sequence && has_frames_in_steps(context, transform, conditions, out.units);
  return out;
}

bool needs_frame(const CppContext& context, TransformId transform, StepId step) {
  const TransformPlan& plan = context.plan.transforms[transform.index()];
  return RuleShape(context.program, transform, plan.steps[step].rule).has_calls() ||
         pieces_of(plan, step) != StepPieces::None;
}

}  // namespace pb
