// SPDX-License-Identifier: MIT
#include "clgen/lower/schedule/schedule_text.h"

#include <fmt/format.h>

#include "clgen/facts/names.h"
#include "clgen/lower/tree/condition_text.h"

namespace pb {
namespace {

/// Returns `pb_is_fused_0: `, which stands in front of a group whose condition is kept under that name.
std::string name_text(const NamedCondition& runs) { return runs.name.empty() ? "" : runs.name + ": "; }

/// Prints the groups of one transform.
class GroupText {
 public:
  GroupText(const Program& program, const TransformPlan& plan)
      : transform_(program.transforms[plan.transform]), plan_(plan) {}

  std::string text(const LoneStep& lone) const {
    return fmt::format("  {}{}\n", step_text(lone.step), where_text(transform_, lone.runs));
  }

  std::string text(const NestGroup& group) const {
    std::vector<std::string> members;
    for (const NestMember& member : plan_.nests[group.nest].members) {
      const Condition guards = all_at_least_zero(plan_.steps[member.step].guards);
      members.push_back(step_text(member.step) + where_text(transform_, guards));
    }
    return fmt::format("  {}nest of {}{}\n", name_text(group.runs), joined(members),
                       where_text(transform_, group.runs.condition));
  }

  std::string text(const JointGroup& group) const {
    std::string out = fmt::format("  joint, at most {} boxes\n", group.max_parts);
    for (const JointGroup::Fused& fused : group.fused) {
      std::vector<std::string> steps;
      for (const StepId id : plan_.fused[fused.fused]) steps.push_back(step_text(id));
      out += fmt::format("    {}one loop of {}{}\n", name_text(fused.runs), joined(steps),
                         where_text(transform_, fused.runs.condition));
    }
    for (const JointGroup::Member& member : group.members) {
      const std::string device =
          member.on_device.is_never() ? "" : " on a device" + where_text(transform_, member.on_device);
      const std::string runs = where_text(transform_, member.runs);
      const char* otherwise = device.empty() || runs.empty() ? "" : " else";
      out += fmt::format("    {}{}{}{}\n", step_text(member.step), device, otherwise, runs);
    }
    return out;
  }

 private:
  std::string step_text(StepId id) const {
    return fmt::format("step {} {}", id.index(), transform_.rules[plan_.steps[id].rule].name);
  }

  const Transform& transform_;
  const TransformPlan& plan_;
};

}  // namespace

std::string to_text(const Program& program, const TransformPlan& plan, const Schedule& schedule) {
  const Transform& transform = program.transforms[plan.transform];
  std::string out = fmt::format("schedule {}, {}{}\n", transform.name, to_string(schedule.form),
                                schedule.has_frames_in_steps ? ", frames in steps" : "");
  for (const NeedFlag& need : schedule.needs)
    out += fmt::format("  {}: {}\n", need.name, to_text(transform, need.condition));
  const GroupText groups(program, plan);
  for (const StepGroup& group : schedule.groups)
    out += std::visit([&](const auto& one) { return groups.text(one); }, group);
  return out;
}

}  // namespace pb
