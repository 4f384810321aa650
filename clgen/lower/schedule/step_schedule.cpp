// SPDX-License-Identifier: MIT
#include "clgen/lower/schedule/step_schedule.h"

#include <algorithm>
#include <set>
#include <utility>

#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/lower/schedule/joint_steps.h"
#include "clgen/lower/schedule/step_pieces.h"
#include "lang/check.h"

namespace pb {
namespace {

bool has(const std::vector<StepId>& steps, StepId step) {
  return std::find(steps.begin(), steps.end(), step) != steps.end();
}

/// Returns the number of the nest of several steps that runs `step` whatever is chosen; none if there is no such nest.
std::optional<std::size_t> always_in(const TransformPlan& plan, StepId step) {
  for (std::size_t n = 0; n < plan.nests.size(); ++n)
    if (always_runs(plan, plan.nests[n]) && has_member(plan.nests[n], step)) return n;
  return std::nullopt;
}

/// Returns the number of the nest that runs `step` in one group, with other steps or because a device may run its
/// slices.
std::optional<std::size_t> group_nest(const TransformPlan& plan, StepId step) {
  if (const auto nest = always_in(plan, step)) return nest;
  const Nest* nest = own_launch_nest(plan, step);
  return nest != nullptr ? std::optional(static_cast<std::size_t>(nest - plan.nests.data())) : std::nullopt;
}

/// The steps of one group, without conditions: one step, the members of a nest that always runs, or joint steps.
struct Unit {
  std::vector<StepId> steps;
  std::optional<std::size_t> nest;

  [[nodiscard]] bool is_joint() const { return !nest && steps.size() > 1; }
};

class ScheduleMaker {
 public:
  ScheduleMaker(const Program& program, const TransformPlan& plan, const RuleShapes& rules,
                const std::vector<TiledSteps>& bands)
      : plan_(plan), rules_(rules), bands_(bands), conditions_(program.transforms[plan.transform], plan, rules) {}

  Schedule make() const {
    Schedule out;
    out.needs = conditions_.needs();
    if (!is_ordered(plan_)) {
      out.form = ScheduleForm::Graph;
      out.groups = all_groups();
      return out;
    }
    const std::vector<Unit> units = with_joint_steps(single_units());
    out.form = is_sequence(units) ? ScheduleForm::Statements : ScheduleForm::OrderedGraph;
    out.has_frames_in_steps = out.form == ScheduleForm::Statements && has_frames_in_steps(units);
    for (const Unit& unit : units) add_group(out, unit);
    return out;
  }

 private:
  // ---- what is one group

  std::vector<Unit> single_units() const {
    std::vector<Unit> out;
    std::set<StepId> done;
    for (const StepId id : plan_.steps.ids()) {
      if (done.contains(id)) continue;
      Unit unit{{id}, group_nest(plan_, id)};
      if (unit.nest) {
        unit.steps.clear();
        for (const NestMember& member : plan_.nests[*unit.nest].members) unit.steps.push_back(member.step);
      }
      done.insert(unit.steps.begin(), unit.steps.end());
      out.push_back(std::move(unit));
    }
    return out;
  }

  /// Joins neighbouring units where that is legal and some two of their steps run in the same call.
  std::vector<Unit> with_joint_steps(const std::vector<Unit>& units) const {
    std::vector<Unit> out;
    for (std::size_t i = 0; i < units.size();) {
      Unit unit = units[i];
      std::size_t end = i + 1;
      for (; end < units.size() && !unit.nest && !units[end].nest; ++end) {
        if (!may_join(rules_, plan_, unit.steps, units[end].steps.front())) break;
        unit.steps.push_back(units[end].steps.front());
      }
      if (!have_company(unit.steps)) {
        unit = units[i];
        end = i + 1;
      }
      out.push_back(std::move(unit));
      i = end;
    }
    return out;
  }

  /// Whether some two of the steps may run in the same call.
  bool have_company(const std::vector<StepId>& steps) const {
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (may_run_together(plan_, plan_.steps[steps[i]], plan_.steps[steps[k]])) return true;
    return false;
  }

  // ---- how groups follow one another

  bool is_chained(const Unit& a, const Unit& b) const {
    return std::any_of(plan_.edges.begin(), plan_.edges.end(),
                       [&](const StepEdge& edge) { return has(a.steps, edge.before) && has(b.steps, edge.after); });
  }

  bool is_sequence(const std::vector<Unit>& units) const {
    for (const Unit& unit : units) {
      const auto has_device = [&](StepId id) { return conditions_.has_device(id); };
      if (unit.is_joint() && std::any_of(unit.steps.begin(), unit.steps.end(), has_device)) return false;
    }
    for (std::size_t i = 0; i + 1 < units.size(); ++i) {
      const Step& a = plan_.steps[units[i].steps.front()];
      const Step& b = plan_.steps[units[i + 1].steps.front()];
      const bool exclude = !units[i].is_joint() && !units[i + 1].is_joint() && !may_run_together(plan_, a, b);
      if (!exclude && !is_chained(units[i], units[i + 1])) return false;
    }
    return true;
  }

  /// Whether the steps make the frames that they need. They do not if a device may run a step, because its choice
  /// depends on the frame, if all steps need a frame, or if two steps that need one may run in the same call.
  bool has_frames_in_steps(const std::vector<Unit>& units) const {
    std::vector<StepId> with_frame;
    for (const Unit& unit : units) {
      const StepId step = unit.steps.front();
      if (unit.nest || unit.is_joint() || conditions_.has_device(step)) return false;
      if (needs_frame(plan_, rules_[plan_.steps[step].rule], step)) with_frame.push_back(step);
    }
    return with_frame.size() < units.size() && !have_company(with_frame);
  }

  // ---- groups

  void add_group(Schedule& out, const Unit& unit) const {
    const StepId first = unit.steps.front();
    if (unit.is_joint()) {
      out.groups.emplace_back(joint_group(unit.steps));
    } else if (!unit.nest) {
      out.groups.emplace_back(LoneStep{first, conditions_.runs(first)});
    } else {
      NestGroup group = nest_group(*unit.nest, {});
      if (out.form == ScheduleForm::Statements) group.runs.name.clear();
      out.groups.emplace_back(std::move(group));
      if (has_other_loops(unit)) out.groups.emplace_back(on_cpu(first));
    }
  }

  /// Whether the nest is for devices alone: on the CPU the step runs by itself.
  bool has_other_loops(const Unit& unit) const {
    return unit.nest && unit.steps.size() == 1 && !runs_in_own_group(plan_, unit.steps.front());
  }

  LoneStep on_cpu(StepId step) const {
    return {step, Condition::all_of({conditions_.runs(step), Condition::not_(conditions_.tries_device(step))})};
  }

  static NamedCondition named(Condition condition, const std::string& name) {
    const bool is_kept = !condition.is_always() && !condition.is_never();
    return {std::move(condition), is_kept ? name : ""};
  }

  /// Returns the group of a nest. `earlier` has the groups of the nests before it, by their numbers.
  NestGroup nest_group(std::size_t nest, const std::vector<NestGroup>& earlier) const {
    const auto flag_of = [&](std::size_t larger) {
      const auto found =
          std::find_if(earlier.begin(), earlier.end(), [&](const NestGroup& group) { return group.nest == larger; });
      PB_CHECK(found != earlier.end(), "larger nests come first");
      return found->runs.flag();
    };
    std::vector<Condition> terms{conditions_.nest_runs(nest, flag_of)};
    const StepId first = plan_.nests[nest].members.front().step;
    if (has_other_loops({{first}, nest}) && plan_.nests[nest].members.size() == 1)
      terms.push_back(conditions_.tries_device(first));
    return {nest, named(Condition::all_of(std::move(terms)), "pb_nest_" + std::to_string(nest))};
  }

  /// Returns a group for each nest of several steps, and then one for each step, which runs unless one of these nests
  /// runs it.
  std::vector<StepGroup> all_groups() const {
    std::vector<NestGroup> nests;
    for (std::size_t n = 0; n < plan_.nests.size(); ++n)
      if (plan_.nests[n].members.size() > 1) nests.push_back(nest_group(n, nests));
    std::vector<StepGroup> out(nests.begin(), nests.end());
    for (const StepId id : plan_.steps.ids()) {
      if (always_in(plan_, id)) continue;
      if (own_launch_nest(plan_, id) != nullptr) {
        const Unit unit{{id}, group_nest(plan_, id)};
        out.emplace_back(nest_group(*unit.nest, {}));
        if (has_other_loops(unit)) out.emplace_back(on_cpu(id));
        continue;
      }
      std::vector<Condition> terms{conditions_.runs(id)};
      for (const NestGroup& nest : nests)
        if (has_member(plan_.nests[nest.nest], id)) terms.push_back(Condition::not_(nest.runs.flag()));
      out.push_back(LoneStep{id, Condition::all_of(std::move(terms))});
    }
    return out;
  }

  JointGroup joint_group(const std::vector<StepId>& steps) const {
    JointGroup out;
    out.steps = steps;
    for (const StepId id : steps) out.cells.push_back(joint_cells(rules_, plan_, id));
    out.max_parts = steps.size();
    for (std::size_t i = 0; i < plan_.fused.size(); ++i) {
      const FusedSteps& fused = plan_.fused[i];
      if (!std::all_of(fused.begin(), fused.end(), [&](StepId id) { return has(steps, id); })) continue;
      std::vector<Condition> terms{conditions_.all_run(fused)};
      for (const StepId id : fused) {
        terms.push_back(is_in_no_bands(bands_, id));
        if (conditions_.has_device(id)) terms.push_back(Condition::not_(conditions_.tries_device(id)));
      }
      out.fused.push_back({i, named(Condition::all_of(std::move(terms)), "pb_is_fused_" + std::to_string(i))});
      out.max_parts += 1 + 2 * out.num_dims() * fused.size();
    }
    for (const StepId id : steps) {
      std::vector<Condition> terms{conditions_.runs(id), is_in_no_bands(bands_, id)};
      for (const TiledSteps& each : bands_)
        if (each.reader == id) out.in_bands.push_back(id);
      for (const JointGroup::Fused& fused : out.fused)
        if (has(plan_.fused[fused.fused], id)) terms.push_back(Condition::not_(fused.runs.flag()));
      JointGroup::Member member{id, Condition::never(), Condition::all_of(std::move(terms))};
      if (conditions_.has_device(id)) member.on_device = conditions_.tries_device(id);
      if (!member.runs.is_never()) out.members.push_back(std::move(member));
    }
    return out;
  }

  const TransformPlan& plan_;
  const RuleShapes& rules_;
  const std::vector<TiledSteps>& bands_;
  StepConditions conditions_;
};

}  // namespace

Condition NamedCondition::flag() const { return name.empty() ? condition : Condition::named(name); }

const CellDims& JointGroup::cells_of(StepId step) const {
  return cells[static_cast<std::size_t>(std::find(steps.begin(), steps.end(), step) - steps.begin())];
}

std::vector<StepId> steps_of(const TransformPlan& plan, const StepGroup& group) {
  if (const auto* lone = std::get_if<LoneStep>(&group)) return {lone->step};
  if (const auto* joint = std::get_if<JointGroup>(&group)) return joint->steps;
  std::vector<StepId> out;
  for (const NestMember& member : plan.nests[std::get<NestGroup>(group).nest].members) out.push_back(member.step);
  return out;
}

const char* to_string(ScheduleForm form) {
  switch (form) {
    case ScheduleForm::Statements:
      return "statements";
    case ScheduleForm::OrderedGraph:
      return "graph in order";
    case ScheduleForm::Graph:
      return "graph";
  }
  PB_CHECK(false, "every form has a word");
  return "";
}

std::string bands_flag_name(StepId reader) { return "pb_in_bands_" + std::to_string(reader.index()); }

Condition is_in_no_bands(const std::vector<TiledSteps>& bands, StepId step) {
  std::vector<Condition> terms;
  for (const TiledSteps& each : bands)
    if (each.reader == step || each.is_maker(step))
      terms.push_back(Condition::not_(Condition::named(bands_flag_name(each.reader))));
  return Condition::all_of(std::move(terms));
}

Schedule make_schedule(const Program& program, const TransformPlan& plan, const RuleShapes& rules,
                       const std::vector<TiledSteps>& bands) {
  return ScheduleMaker(program, plan, rules, bands).make();
}

}  // namespace pb
