// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/graph_nodes.h"

#include <algorithm>
#include <variant>

#include "choicegraph/plan/launches/interleaved_steps.h"
#include "clgen/cpp/context/condition_code.h"

namespace pb {
namespace {

/// Whether one loop runs both steps if they run on the CPU.
bool are_joint(const Schedule& schedule, const StepEdge& pair) {
  return std::any_of(schedule.groups.begin(), schedule.groups.end(), [&](const StepGroup& group) {
    const auto* joint = std::get_if<JointGroup>(&group);
    const auto has = [&](StepId step) {
      return std::find(joint->steps.begin(), joint->steps.end(), step) != joint->steps.end();
    };
    return joint != nullptr && has(pair.before) && has(pair.after);
  });
}

}  // namespace

GraphNodes::GraphNodes(const Transform& transform, const TransformPlan& plan, const Schedule& schedule,
                       const StepConditions& conditions)
    : plan_(plan), schedule_(schedule), conditions_(conditions), interleaved_(interleaved_steps(transform, plan)) {}

void GraphNodes::emit_declarations(Writer& out) const {
  out.line("pbrt::StepGraph pb_graph(pb_frame);");
  for (const StepId id : plan_.steps.ids())
    if (has_variable(id)) out.line("int " + variable(id) + " = -1;");
}

void GraphNodes::emit_edges(Writer& out) const {
  for (const StepEdge& edge : plan_.edges)
    out.line("pb_graph.depend(" + variable(edge.after) + ", " + variable(edge.before) + ");");
  for (const StepEdge& pair : interleaved_) emit_turn(out, pair);
}

/// Prints which of two interleaved steps waits for the other, if one of them runs on a device. The one
/// on a device comes first if they belong to one loop: that loop may run further steps, and waits for all of them.
void GraphNodes::emit_turn(Writer& out, const StepEdge& pair) const {
  const auto on_device = [&](StepId id) {
    return conditions_.has_device(id) ? conditions_.tries_device(id) : Condition::never();
  };
  const auto emit = [&](const Condition& condition, StepId after, StepId before) {
    if (condition.is_never()) return;
    out.line(guarded_text(condition, "pb_graph.depend(" + variable(after) + ", " + variable(before) + ");"));
  };
  const Condition first = on_device(pair.before), second = on_device(pair.after);
  if (!are_joint(schedule_, pair)) {
    emit(Condition::any_of({first, second}), pair.after, pair.before);
    return;
  }
  emit(first, pair.after, pair.before);
  emit(Condition::all_of({second, Condition::not_(first)}), pair.before, pair.after);
}

bool GraphNodes::has_variable(StepId step) const {
  const auto has_step = [&](const StepEdge& edge) { return edge.before == step || edge.after == step; };
  return std::any_of(plan_.edges.begin(), plan_.edges.end(), has_step) ||
         std::any_of(interleaved_.begin(), interleaved_.end(), has_step);
}

std::string GraphNodes::added_text(StepId step, const std::string& add, const std::string& closure) const {
  return (has_variable(step) ? variable(step) + " = " : "") + "pb_graph." + add + "(" + closure + ");";
}

}  // namespace pb
