// SPDX-License-Identifier: MIT
#include "clgen/lower/schedule/step_conditions.h"

#include <algorithm>

#include "choicegraph/plan/step_needs.h"
#include "clgen/facts/numbering.h"

namespace pb {
namespace {

bool has_access(const std::vector<RegionAccess>& accesses, MatrixId matrix) {
  return std::any_of(accesses.begin(), accesses.end(), [&](const RegionAccess& each) { return each.matrix == matrix; });
}
bool accesses(const Rule& rule, MatrixId matrix) {
  return has_access(rule.inputs, matrix) || has_access(rule.outputs, matrix);
}

bool has_whole_access(const std::vector<RegionAccess>& accesses, MatrixId matrix) {
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const RegionAccess& each) { return each.matrix == matrix && each.kind == AccessKind::All; });
}

/// Adds a case, unless it is never reached.
void add_case(CopyOutChoice& out, Condition condition, CopyOut copy_out) {
  const bool is_known = std::any_of(out.cases.begin(), out.cases.end(),
                                    [&](const CopyOutChoice::Case& earlier) { return earlier.condition == condition; });
  if (!is_known && !condition.is_never()) out.cases.push_back({std::move(condition), copy_out});
}

CopyOutChoice simplified(CopyOutChoice choice) {
  const auto known = std::find_if(choice.cases.begin(), choice.cases.end(),
                                  [](const CopyOutChoice::Case& one) { return one.condition.is_always(); });
  if (known == choice.cases.end()) return choice;
  choice.otherwise = known->copy_out;
  choice.cases.erase(known, choice.cases.end());
  return choice;
}

}  // namespace

StepConditions::StepConditions(const Transform& transform, const TransformPlan& plan, const RuleShapes& rules)
    : transform_(transform), plan_(plan) {
  for (StepNeed& need : needs_of(plan_, transform_)) {
    std::vector<Condition> terms;
    for (const StepId reader : need.readers) terms.push_back(runs(reader));
    needs_.push_back(
        {"pb_needed_" + std::to_string(needs_.size()), Condition::any_of(std::move(terms)), std::move(need.steps)});
  }
  for (const RuleShape& rule : rules) {
    if (!rule.facts.has_calls || !rule.rule.tried.empty()) continue;
    for (const RuleMatrix& use : rule.matrices)
      if (!use.is_touched) passed_on_.emplace(rule.rule_id, use.matrix);
  }
}

/// Returns the flag that says whether some step reads what `step` writes, or `always` if the step has no such flag.
Condition StepConditions::need_of(StepId step) const {
  for (const NeedFlag& need : needs_)
    if (std::find(need.steps.begin(), need.steps.end(), step) != need.steps.end()) return Condition::named(need.name);
  return Condition::always();
}

Condition StepConditions::is_needed(const Nest& nest) const {
  std::vector<Condition> terms;
  for (const NestMember& member : nest.members) terms.push_back(need_of(member.step));
  return Condition::any_of(std::move(terms));
}

Condition StepConditions::chosen(const Step& step, std::span<const Version> versions) const {
  std::vector<int> choices;
  for (const Version version : versions)
    for (const int choice : choices_running(plan_, step, version)) choices.push_back(choice);
  std::sort(choices.begin(), choices.end());
  std::vector<Condition> terms;
  for (const int choice : choices) terms.push_back(Condition::chosen(step.site, choice));
  return Condition::any_of(std::move(terms));
}

Condition StepConditions::choices(const Step& step) const {
  return always_runs(plan_, step) ? Condition::always() : chosen(step, kVersions);
}

Condition StepConditions::with_needs_and_guards(StepId step, Condition choices) const {
  return Condition::all_of({need_of(step), std::move(choices), all_at_least_zero(plan_.steps[step].guards)});
}

Condition StepConditions::runs(StepId step) const { return with_needs_and_guards(step, choices(plan_.steps[step])); }

Condition StepConditions::all_run(const std::vector<StepId>& steps) const {
  std::vector<Condition> terms;
  for (const StepId id : steps) terms.push_back(runs(id));
  return Condition::all_of(std::move(terms));
}

Condition StepConditions::tries_device(StepId step) const {
  return with_needs_and_guards(step, chosen(plan_.steps[step], kDeviceVersions));
}

Condition StepConditions::nest_runs(std::size_t nest_index,
                                    const std::function<Condition(std::size_t)>& flag_of) const {
  const Nest& nest = plan_.nests[nest_index];
  std::vector<Condition> terms{is_needed(nest)};
  for (const NestMember& member : nest.members) terms.push_back(choices(plan_.steps[member.step]));
  for (std::size_t larger = 0; larger < nest_index; ++larger) {
    const Nest& other = plan_.nests[larger];
    const bool is_inside = other.members.size() > nest.members.size() &&
                           std::all_of(nest.members.begin(), nest.members.end(),
                                       [&](const NestMember& member) { return has_member(other, member.step); });
    if (is_inside) terms.push_back(Condition::not_(flag_of(larger)));
  }
  return Condition::all_of(std::move(terms));
}

/// Returns when some step runs whose rule satisfies `concerns`.
Condition StepConditions::any_runs(const std::function<bool(const Rule&)>& concerns) const {
  std::vector<Condition> terms;
  for (const StepId id : plan_.steps.ids())
    if (concerns(transform_.rules[plan_.steps[id].rule])) terms.push_back(runs(id));
  return Condition::any_of(std::move(terms));
}

Condition StepConditions::is_read(MatrixId matrix) const {
  return any_runs([&](const Rule& rule) { return has_access(rule.inputs, matrix); });
}

Condition StepConditions::is_used(MatrixId matrix) const {
  return any_runs([&](const Rule& rule) { return accesses(rule, matrix); });
}

Condition StepConditions::is_touched_whole(MatrixId matrix) const {
  // Only accesses to the whole matrix count. If the matrix has no cells, there are no instances that access single
  // cells of it.
  return any_runs([&](const Rule& rule) {
    return has_whole_access(rule.inputs, matrix) || has_whole_access(rule.outputs, matrix);
  });
}

bool StepConditions::is_decided(SiteId site) const { return is_decision(plan_.sites[site]); }

bool StepConditions::has_device(StepId step) const {
  return is_decided(plan_.steps[step].site) && !chosen(plan_.steps[step], kDeviceVersions).is_never();
}

/// Returns when steps run on the CPU that must wait for `step`, and when such steps run at all.
StepConditions::Followers StepConditions::followers_of(StepId step) const {
  std::vector<Condition> on_cpu;
  std::vector<Condition> on_device;
  for (const StepEdge& edge : plan_.edges) {
    if (edge.before != step) continue;
    const Step& after = plan_.steps[edge.after];
    const Condition device = is_decided(after.site) ? chosen(after, kDeviceVersions) : Condition::never();
    if (touches_result(after, plan_.steps[step]))
      on_cpu.push_back(Condition::all_of({runs(edge.after), Condition::not_(device)}));
    on_device.push_back(runs(edge.after));
  }
  return {Condition::any_of(std::move(on_cpu)), Condition::any_of(std::move(on_device))};
}

bool StepConditions::touches_result(const Step& after, const Step& before) const {
  return std::any_of(before.segments.begin(), before.segments.end(), [&](SegmentId id) {
    const MatrixId matrix = plan_.segments[id].matrix;
    return accesses(transform_.rules[after.rule], matrix) && !passed_on_.contains({after.rule, matrix});
  });
}

bool StepConditions::writes_temporaries(StepId step) const {
  const std::vector<SegmentId>& segments = plan_.steps[step].segments;
  return std::all_of(segments.begin(), segments.end(), [&](SegmentId id) {
    return transform_.matrices[plan_.segments[id].matrix].role == MatrixRole::Through;
  });
}

/// Returns where the step's outputs go. `of_output` is the choice for results that no later step on the CPU reads.
CopyOutChoice StepConditions::copy_out_with(StepId step, const CopyOutChoice& of_output) const {
  const Followers followers = followers_of(step);
  CopyOutChoice out;
  add_case(out, followers.on_cpu, CopyOut::Must);
  if (writes_temporaries(step)) {
    add_case(out, followers.on_device, CopyOut::Reused);
  } else {
    out.cases.insert(out.cases.end(), of_output.cases.begin(), of_output.cases.end());
    out.otherwise = of_output.otherwise;
  }
  return simplified(std::move(out));
}

CopyOutChoice StepConditions::copy_out(StepId step) const { return copy_out_with(step, {}); }

CopyOutChoice StepConditions::copy_out_of_whole(StepId step) const {
  return copy_out_with(step, {{{is_root_call(), CopyOut::Result}}, CopyOut::May});
}

CopyOutChoice StepConditions::copy_out_of_slice(StepId step) const {
  CopyOutChoice out;
  if (!writes_temporaries(step)) add_case(out, is_root_call(), CopyOut::Result);
  return simplified(std::move(out));
}

CopyOutChoice StepConditions::copy_out_of_part(StepId step) const {
  std::vector<Condition> terms{followers_of(step).on_cpu};
  if (!writes_temporaries(step)) terms.push_back(is_root_call());
  CopyOutChoice out;
  add_case(out, Condition::any_of(std::move(terms)), CopyOut::Eager);
  return simplified(std::move(out));
}

}  // namespace pb
