// SPDX-License-Identifier: MIT
#include "clgen/testing/run_schedule.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "clgen/lower/analysis/rule_shapes.h"
#include "clgen/lower/schedule/step_pieces.h"
#include "clgen/testing/draw_call.h"

namespace pb::testing {
namespace {

/// Whether all that the condition names has been declared, so that its value is known.
bool is_known(const Condition& condition, const CallState& call) {
  if (condition.kind() == Condition::Kind::Named && !call.named.contains(condition.name())) return false;
  return std::all_of(condition.terms().begin(), condition.terms().end(),
                     [&](const Condition& term) { return is_known(term, call); });
}

class ScheduleRunner {
 public:
  ScheduleRunner(const Program& program, const TransformPlan& plan, const Schedule& schedule, CallState call)
      : program_(program),
        plan_(plan),
        schedule_(schedule),
        call_(std::move(call)),
        conditions_(program.transforms[plan.transform], plan, find_rule_shapes(program, plan, true)),
        times_(plan.steps.size(), 0),
        in_nest_(plan.steps.size(), false),
        place_(plan.steps.size(), 0) {}

  std::string run() {
    for (const NeedFlag& need : schedule_.needs) declare(need.name, need.condition);
    for (std::size_t g = 0; g < schedule_.groups.size() && fault_.empty(); ++g) {
      group_ = g;
      std::visit([this](const auto& group) { run_group(group); }, schedule_.groups[g]);
    }
    for (const StepId id : plan_.steps.ids())
      if (fault_.empty()) check_step(id);
    for (const StepEdge& edge : plan_.edges)
      if (fault_.empty()) check_edge(edge);
    if (fault_.empty()) check_frames();
    return fault_;
  }

 private:
  void fail(StepId step, const std::string& text) {
    if (fault_.empty()) fault_ = "step " + std::to_string(step.index()) + " " + text;
  }

  void declare(const std::string& name, const Condition& condition) {
    if (!is_known(condition, call_)) {
      fault_ = name + " depends on what is not declared yet";
      return;
    }
    if (!call_.named.emplace(name, holds(condition, call_)).second) fault_ = name + " is declared twice";
  }

  bool runs(const Condition& condition) {
    if (is_known(condition, call_)) return holds(condition, call_);
    if (fault_.empty()) fault_ = "a group depends on what is not declared yet";
    return false;
  }
  bool runs(const NamedCondition& named) {
    if (!named.name.empty()) declare(named.name, named.condition);
    return fault_.empty() && runs(named.flag());
  }

  void run_step(StepId step) {
    ++times_[step.index()];
    place_[step.index()] = group_;
  }

  void run_group(const LoneStep& lone) {
    if (runs(lone.runs)) run_step(lone.step);
  }

  void run_group(const NestGroup& group) {
    if (!runs(group.runs)) return;
    for (const NestMember& member : plan_.nests[group.nest].members) {
      in_nest_[member.step.index()] = true;
      if (holds(all_at_least_zero(plan_.steps[member.step].guards), call_)) run_step(member.step);
    }
  }

  void run_group(const JointGroup& group) {
    std::size_t num_parts = 0;
    const std::size_t rank = group.num_dims();
    for (const JointGroup::Fused& fused : group.fused) {
      if (!runs(fused.runs)) continue;
      const FusedSteps& steps = plan_.fused[fused.fused];
      // What all have as one loop, and of each at most two borders per dimension.
      num_parts += 1 + 2 * rank * steps.size();
      for (const StepId id : steps) run_step(id);
    }
    for (const JointGroup::Member& member : group.members) {
      if (runs(member.on_device)) {
        if (!conditions_.has_device(member.step)) fail(member.step, "has no device version");
        run_step(member.step);
      } else if (runs(member.runs)) {
        ++num_parts;
        run_step(member.step);
      }
    }
    if (num_parts > group.max_parts) fail(group.steps.front(), "has more parts than there is room for");
  }

  void check_step(StepId step) {
    const int times = times_[step.index()];
    const bool is_chosen = holds(conditions_.choices(plan_.steps[step]), call_) &&
                           holds(all_at_least_zero(plan_.steps[step].guards), call_);
    if (times > 1) return fail(step, "runs twice");
    if (times == 0 && holds(conditions_.runs(step), call_)) return fail(step, "does not run");
    if (times == 1 && !is_chosen) return fail(step, "runs though it is not chosen");
    if (times == 1 && !in_nest_[step.index()] && !holds(conditions_.runs(step), call_))
      fail(step, "runs though nobody needs it");
  }

  void check_edge(const StepEdge& edge) {
    if (schedule_.form == ScheduleForm::Graph || times_[edge.before.index()] == 0 || times_[edge.after.index()] == 0)
      return;
    const std::size_t before = place_[edge.before.index()];
    const std::size_t after = place_[edge.after.index()];
    const bool is_nest = std::holds_alternative<NestGroup>(schedule_.groups[after]);
    if (before > after || (before == after && !is_nest)) fail(edge.after, "runs before what it waits for");
  }

  /// Checks that at most one step makes a frame, and that no device takes part.
  void check_frames() {
    if (!schedule_.has_frames_in_steps) return;
    int num_frames = 0;
    for (const StepId id : plan_.steps.ids()) {
      if (times_[id.index()] == 0) continue;
      const RuleShape rule(program_, plan_, plan_.steps[id].rule, true);
      num_frames += needs_frame(plan_, rule, id) ? 1 : 0;
      if (conditions_.has_device(id)) fail(id, "may run on a device, and so needs the call's frame");
    }
    if (num_frames > 1) fault_ = "two steps of one call make frames";
  }

  const Program& program_;
  const TransformPlan& plan_;
  const Schedule& schedule_;
  CallState call_;
  StepConditions conditions_;
  std::vector<int> times_;          ///< how often each step ran
  std::vector<bool> in_nest_;       ///< whether each step ran in a nest
  std::vector<std::size_t> place_;  ///< group of each step
  std::size_t group_ = 0;
  std::string fault_;
};

}  // namespace

std::string run_schedule(const Program& program, const TransformPlan& plan, const Schedule& schedule, CallState call) {
  return ScheduleRunner(program, plan, schedule, std::move(call)).run();
}

void run_schedule_in_calls(const Program& program, const TransformPlan& plan, const Schedule& schedule, int count,
                           std::int64_t max_size, std::mt19937_64& random, ScheduleRuns& runs) {
  const Transform& transform = program.transforms[plan.transform];
  for (int i = 0; i < count && runs.fault.empty(); ++i) {
    const auto sizes = draw_sizes(transform, max_size, random);
    const auto choices = draw_choices(plan, random);
    if (!sizes || !choices) continue;
    ++runs.num_runs;
    const std::string fault = run_schedule(program, plan, schedule, {*sizes, *choices, {}, {}});
    if (!fault.empty()) runs.fault = transform.name + ": " + fault;
  }
}

void run_schedules(const Program& program, const TransformPlan& plan, bool has_kernels, int count,
                   std::int64_t max_size, std::mt19937_64& random, ScheduleRuns& runs) {
  const Schedule schedule = make_schedule(program, plan, find_rule_shapes(program, plan, has_kernels));
  ++runs.forms[to_string(schedule.form)];
  if (schedule.has_frames_in_steps) ++runs.forms["frames in steps"];
  for (const StepGroup& group : schedule.groups) {
    if (std::holds_alternative<NestGroup>(group)) ++runs.forms["nest"];
    const auto* joint = std::get_if<JointGroup>(&group);
    if (joint == nullptr) continue;
    ++runs.forms["joint"];
    if (!joint->fused.empty()) ++runs.forms["fused"];
    const auto is_shared = [](const JointGroup::Member& member) { return !member.on_device.is_never(); };
    if (std::any_of(joint->members.begin(), joint->members.end(), is_shared)) ++runs.forms["joint on a device"];
  }
  run_schedule_in_calls(program, plan, schedule, count, max_size, random, runs);
}

}  // namespace pb::testing
