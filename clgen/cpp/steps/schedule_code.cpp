// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/schedule_code.h"

#include <set>
#include <string>

#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/steps/band_code.h"
#include "clgen/cpp/steps/graph_nodes.h"
#include "clgen/cpp/steps/joint_code.h"
#include "clgen/cpp/steps/nest_group_code.h"
#include "clgen/cpp/steps/step_closures.h"
#include "clgen/cpp/steps/tile_launch_code.h"
#include "clgen/lower/schedule/step_pieces.h"

namespace pb {
namespace {

/// Returns the steps that may be nodes of their own: single ones, and those members of joint groups that a device may
/// run.
std::set<StepId> possible_nodes(const Schedule& schedule, const StepConditions& conditions) {
  std::set<StepId> out;
  for (const StepGroup& group : schedule.groups) {
    if (const auto* lone = std::get_if<LoneStep>(&group)) out.insert(lone->step);
    if (const auto* joint = std::get_if<JointGroup>(&group))
      for (const StepId id : joint->steps)
        if (conditions.has_device(id)) out.insert(id);
  }
  return out;
}

/// Prints the groups as statements that run one after the other.
class StatementsCode {
 public:
  StatementsCode(Writer& out, const CppContext& context, TransformId id, const StepDispatch& dispatch, JointCode& joint,
                 const EmitFrame& emit_frame)
      : out_(out), context_(context), id_(id), dispatch_(dispatch), joint_(joint), emit_frame_(emit_frame) {}

  void emit(const LoneStep& lone) {
    if (emit_frame_) return emit_with_frame(lone);
    const bool has_block = !lone.runs.is_always() || dispatch_.conditions().has_device(lone.step);
    if (has_block) out_.open(if_text(lone.runs));
    emit_step(out_, context_, id_, dispatch_, lone.step, "pb_frame");
    if (has_block) out_.close();
  }

  void emit(const NestGroup& group) {
    out_.open(if_text(group.runs.condition));
    emit_nest_group(out_, context_, id_, dispatch_, group.nest, "pb_frame");
    out_.close();
  }

  void emit(const JointGroup& group) { joint_.emit_statements(group, "pb_frame"); }

 private:
  /// Prints a step that makes the frame that it may need.
  void emit_with_frame(const LoneStep& lone) {
    const TransformPlan& plan = context_.plan.transforms[id_.index()];
    const RuleShape& rule = lowered_of(context_, id_).rules[plan.steps[lone.step].rule];
    const bool has_frame = needs_frame(plan, rule, lone.step);
    const bool has_block = has_frame || !lone.runs.is_always();
    if (has_block) out_.open(if_text(lone.runs));
    if (has_frame) emit_frame_(out_);
    dispatch_.emit_dispatch(out_, lone.step, has_frame ? "pb_frame" : "pb_parent", false);
    if (has_block) out_.close();
  }

  Writer& out_;
  const CppContext& context_;
  TransformId id_;
  const StepDispatch& dispatch_;
  JointCode& joint_;
  const EmitFrame& emit_frame_;
};

/// Prints the groups as nodes of a graph.
class GraphCode {
 public:
  /// `add` is the graph's function that takes nodes.
  GraphCode(Writer& out, const CppContext& context, TransformId id, const StepDispatch& dispatch,
            const GraphNodes& nodes, const StepClosures& closures, JointCode& joint, std::string add)
      : out_(out),
        context_(context),
        id_(id),
        plan_(context.plan.transforms[id.index()]),
        dispatch_(dispatch),
        nodes_(nodes),
        closures_(closures),
        joint_(joint),
        add_(std::move(add)) {}

  void emit(const LoneStep& lone) {
    closures_.emit(out_, lone.step);
    out_.line(guarded_text(lone.runs, nodes_.added_text(lone.step, add_, StepClosures::name_of(lone.step))));
  }

  void emit(const NestGroup& group) {
    if (!group.runs.name.empty()) out_.declare("const bool", group.runs.name, to_cpp(group.runs.condition));
    std::string variables;
    for (const NestMember& member : plan_.nests[group.nest].members)
      if (nodes_.has_variable(member.step)) variables += GraphNodes::variable(member.step) + " = ";
    const std::string closure = "pb_run_nest_" + std::to_string(group.nest);
    out_.open("const auto " + closure + " = [&](pbrt::Frame& pb_step)");
    emit_nest_group(out_, context_, id_, dispatch_, group.nest, "pb_step");
    out_.close(";");
    out_.line(guarded_text(group.runs.flag(), variables + "pb_graph." + add_ + "(" + closure + ");"));
  }

  void emit(const JointGroup& group) { joint_.emit_node(group); }

 private:
  Writer& out_;
  const CppContext& context_;
  TransformId id_;
  const TransformPlan& plan_;
  const StepDispatch& dispatch_;
  const GraphNodes& nodes_;
  const StepClosures& closures_;
  JointCode& joint_;
  std::string add_;
};

template <class Code>
void emit_groups(Code code, const Schedule& schedule) {
  for (const StepGroup& group : schedule.groups) std::visit([&](const auto& one) { code.emit(one); }, group);
}

}  // namespace

void emit_schedule(Writer& out, const CppContext& context, TransformId transform, const Schedule& schedule,
                   const StepFunctionNames& functions, const std::function<void(const StepDispatch&)>& emit_before,
                   const EmitFrame& emit_frame) {
  const StepDispatch dispatch(context, transform, functions);
  const GraphNodes nodes(context.program.transforms[transform], context.plan.transforms[transform.index()], schedule,
                         dispatch.conditions());
  StepClosures closures(context, transform, dispatch, possible_nodes(schedule, dispatch.conditions()));
  JointCode joint(out, context, transform, dispatch, nodes, closures);
  for (const NeedFlag& need : schedule.needs)
    out.line("const bool " + need.name + " = " + to_cpp(need.condition) + ";");
  emit_before(dispatch);
  emit_tile_launches(out, context, transform, dispatch);
  emit_bands(out, context, transform, dispatch);
  if (schedule.form == ScheduleForm::Statements)
    return emit_groups(StatementsCode(out, context, transform, dispatch, joint, emit_frame), schedule);
  nodes.emit_declarations(out);
  closures.emit_shared(out);
  const std::string add = schedule.form == ScheduleForm::OrderedGraph ? "add_in_order" : "add";
  emit_groups(GraphCode(out, context, transform, dispatch, nodes, closures, joint, add), schedule);
  nodes.emit_edges(out);
  out.line("pb_graph.run();");
}

}  // namespace pb
