// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/joint_code.h"

#include <algorithm>
#include <vector>

#include "clgen/cpp/boxes/box_text.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/steps/band_code.h"
#include "clgen/cpp/steps/fused_code.h"
#include "clgen/cpp/steps/joint_launch_code.h"
#include "clgen/cpp/steps/step_code.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// What the names of a group's things end in.
std::string number_of(const JointGroup& group) { return std::to_string(group.steps.front().index()); }

std::string loops_name(const JointGroup& group) { return "pb_loops_" + number_of(group); }

}  // namespace

JointCode::JointCode(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                     const GraphNodes& nodes, const StepClosures& closures)
    : out_(out),
      context_(context),
      id_(transform),
      plan_(context.plan.transforms[transform.index()]),
      dispatch_(dispatch),
      nodes_(nodes),
      closures_(closures) {}

void JointCode::emit_statements(const JointGroup& group, const std::string& frame) {
  emit_loops(group);
  for (const StepId id : group.in_bands)
    out_.line("if (" + bands_flag_name(id) + ") " + bands_closure_name(id) + "(" + frame + ");");
  emit_run(group, frame);
}

void JointCode::emit_node(const JointGroup& group) {
  const std::string closure = "pb_run_loops_" + number_of(group);
  emit_loops(group);
  for (const StepId id : group.in_bands)
    out_.line("if (" + bands_flag_name(id) + ") " + nodes_.added_text(id, "add_in_order", bands_closure_name(id)));
  out_.open("const auto " + closure + " = [&](pbrt::Frame& pb_step)");
  emit_run(group, "pb_step");
  out_.close(";");
  const bool has_variables =
      std::any_of(group.steps.begin(), group.steps.end(), [&](StepId id) { return nodes_.has_variable(id); });
  const std::string node = "pb_node_of_" + loops_name(group);
  out_.line((has_variables ? "const int " + node + " = " : "") + "pb_graph.add_in_order(" + closure + ");");
  for (const StepId id : group.steps) {
    if (!nodes_.has_variable(id)) continue;
    const std::string variable = GraphNodes::variable(id);
    // A member on a device, or in bands, has a node already.
    const bool may_have_node = dispatch_.conditions().has_device(id) || has_bands(lowered_of(context_, id_), id);
    out_.line((may_have_node ? "if (" + variable + " < 0) " : "") + variable + " = " + node + ";");
  }
}

/// Declares the loops and adds the members that run on the CPU. The other members become nodes.
void JointCode::emit_loops(const JointGroup& group) {
  const std::string loops = loops_name(group);
  for (const StepId id : group.steps) {
    (void)emit_piece_closure(group, id);
    if (dispatch_.conditions().has_device(id)) closures_.emit(out_, id);
  }
  out_.line("pbrt::JointLoops<" + std::to_string(group.num_dims()) + ", " + std::to_string(group.max_parts) + "> " +
            loops + ";");
  for (const JointGroup::Fused& fused : group.fused) emit_fused(loops, group, fused);
  emit_members(loops, group);
}

/// The launch of the group's steps; null: each of them is a launch of its own.
const JointLaunch* JointCode::launch_of(const JointGroup& group) const {
  for (const JointLaunch& launch : lowered_of(context_, id_).launches)
    if (std::find(group.steps.begin(), group.steps.end(), launch.main) != group.steps.end()) return &launch;
  return nullptr;
}

/// Adds the members to the loops or to the graph. Those that a launch may run together come first.
void JointCode::emit_members(const std::string& loops, const JointGroup& group) {
  const JointLaunch* launch = launch_of(group);
  const auto is_in_launch = [&](const JointGroup::Member& member) {
    return launch != nullptr &&
           std::find(launch->steps.begin(), launch->steps.end(), member.step) != launch->steps.end();
  };
  if (launch != nullptr) {
    emit_joint_launch(out_, context_, id_, dispatch_, *launch,
                      [&](StepId step) { return emit_piece_closure(group, step); });
    out_.open("if (!" + joint_box_name(*launch) + ".is_empty()) [[unlikely]]");
    std::string variables;
    for (const StepId step : launch->steps)
      if (nodes_.has_variable(step)) variables += GraphNodes::variable(step) + " = ";
    out_.line(variables + "pb_graph.add_in_order(" + joint_closure_name(*launch) + ");");
    out_.reopen("else");
    for (const JointGroup::Member& member : group.members)
      if (is_in_launch(member)) emit_member(loops, group, member);
    out_.close();
  }
  for (const JointGroup::Member& member : group.members)
    if (!is_in_launch(member)) emit_member(loops, group, member);
}

/// Returns the name of the closure that runs a step's loops on a part of its box, and declares it at its first use.
/// Steps that differ only in their boxes share a closure.
std::string JointCode::emit_piece_closure(const JointGroup& group, StepId step) {
  const CellDims& cells = group.cells_of(step);
  const bool is_fixed = has_fixed(cells);
  const auto [place, is_new] =
      pieces_.emplace(std::pair(dispatch_.cpu_function(step), is_fixed), "pb_piece_" + std::to_string(pieces_.size()));
  if (is_new) {
    out_.open("const auto " + place->second + " = [&](pbrt::Frame& pb_step, const pbrt::Box<" +
              std::to_string(cells.size()) + ">& " + (is_fixed ? "pb_cells" : "pb_box") + ")");
    if (is_fixed) emit_boxes_of_cells(step, cells);
    out_.line(dispatch_.piece_call(step, "pb_step"));
    out_.close(";");
  }
  return place->second;
}

/// Declares the boxes that the step's functions get: the values of its loops at the cells `pb_cells`, and these.
void JointCode::emit_boxes_of_cells(StepId step, const CellDims& cells) {
  for (const std::string& box : box_args(lowered_of(context_, id_).steps[step], true))
    out_.line(box == "pb_box"
                  ? "const " + box_type(plan_.steps[step]) + " pb_box = " + loops_at(cells, "pb_cells") + ";"
                  : "const auto& " + box + " = pb_cells;");
}

/// Adds members to the loops as one step.
void JointCode::emit_fused(const std::string& loops, const JointGroup& group, const JointGroup::Fused& fused) {
  const FusedSteps& steps = plan_.fused[fused.fused];
  const std::string closure = "pb_fused_" + std::to_string(fused.fused);
  if (!fused.runs.name.empty()) out_.line("const bool " + fused.runs.name + " = " + to_cpp(fused.runs.condition) + ";");
  out_.open("const auto " + closure + " = [&](pbrt::Frame& pb_step, const " + box_type(plan_.steps[steps[0]]) +
            "& pb_box)");
  out_.line(fused_call(context_, id_, fused.fused, "pb_step"));
  out_.close(";");
  std::vector<std::string> boxes;
  std::vector<std::string> args{closure};
  for (const StepId id : steps) {
    boxes.push_back(initializer_of(instance_box(plan_.steps[id])));
    args.push_back(emit_piece_closure(group, id));
  }
  const Condition condition = fused.runs.flag();
  if (!condition.is_always()) out_.open(if_text(condition));
  for (const StepId id : steps) dispatch_.emit_count(out_, id, "pb_frame");
  out_.line(loops + ".add_fused({" + joined(boxes) + "}, " + joined(args) + ");");
  if (!condition.is_always()) out_.close();
}

void JointCode::emit_member(const std::string& loops, const JointGroup& group, const JointGroup::Member& member) {
  const bool has_device = !member.on_device.is_never();
  if (has_device) {
    out_.open(if_text(member.on_device));
    out_.line(nodes_.added_text(member.step, "add_in_order", StepClosures::name_of(member.step)));
    out_.reopen(member.runs.is_always() ? "else" : "else " + if_text(member.runs));
  } else if (!member.runs.is_always()) {
    out_.open(if_text(member.runs));
  }
  dispatch_.emit_count(out_, member.step, "pb_frame");
  out_.line(loops + ".add(" + initializer_of(cell_box(group.cells_of(member.step))) + ", " +
            emit_piece_closure(group, member.step) + ");");
  if (has_device || !member.runs.is_always()) out_.close();
}

void JointCode::emit_run(const JointGroup& group, const std::string& frame) {
  emit_group_arrivals(group, frame);
  const auto tiled = std::find_if(group.steps.begin(), group.steps.end(),
                                  [&](StepId id) { return !lowered_of(context_, id_).steps[id].loops.tiled.empty(); });
  const std::string shape = tiled == group.steps.end() ? "" : ", " + shape_of_tiles(plan_.steps[*tiled]);
  out_.line(loops_name(group) + ".run(" + frame + ", " + dispatch_.split_value() + shape + ");");
}

/// Prints a wait for everything that the loops read, because their pieces do not wait.
void JointCode::emit_group_arrivals(const JointGroup& group, const std::string& frame) {
  if (!context_.lowered.has_kernels) return;
  const StepConditions& conditions = dispatch_.conditions();
  out_.open("if (" + frame + ".has_device()) [[unlikely]]");
  for (const StepId id : group.steps) {
    const Condition on_device = conditions.has_device(id) ? conditions.tries_device(id) : Condition::never();
    const LoweredStep& lowered = lowered_of(context_, id_).steps[id];
    const Condition in_no_bands = is_in_no_bands(lowered_of(context_, id_).bands, id);
    out_.open(if_text(Condition::all_of({conditions.runs(id), Condition::not_(on_device), in_no_bands})));
    emit_boxes(out_, lowered.boxes);
    emit_arrivals(out_, lowered.hosted, frame);
    out_.close();
  }
  out_.close();
}

}  // namespace pb
