// SPDX-License-Identifier: MIT
#include "clgen/cpp/schedule_code.h"

#include <algorithm>
#include <optional>
#include <set>

#include "clgen/cpp/dispatch_code.h"
#include "clgen/cpp/fused_code.h"
#include "clgen/cpp/joint_steps.h"
#include "clgen/cpp/loop_code.h"
#include "clgen/cpp/nest_code.h"
#include "clgen/cpp/piece_code.h"
#include "clgen/cpp/schedule_units.h"
#include "clgen/cpp/step_code.h"
#include "clgen/lower/host_care.h"
#include "clgen/lower/nest_loops.h"
#include "clgen/lower/nest_shape.h"
#include "clgen/names.h"

namespace pb {
namespace {

/// What traces call the tiles of a nest: `T.A#1 + B#1`.
void emit_nest_rule(Writer& out, const Transform& transform, const TransformPlan& plan, std::size_t n,
                    const std::string& stem) {
  std::vector<std::string> names;
  for (const NestMember& member : plan.nests[n].members)
    names.push_back(transform.rules[plan.steps[member.step].rule].name);
  out.line("[[maybe_unused]] constexpr pbrt::RuleDesc " + rule_constant(stem) + " = {" +
           quoted(transform.name + "." + joined(names, " + ")) + ", \"cpu\"};");
}

class ScheduleEmitter {
 public:
  ScheduleEmitter(Writer& out, const CppContext& context, TransformId id, const Schedule& schedule,
                  const std::vector<Kernel>& kernels, StepFunctionNames functions)
      : out_(out),
        context_(context),
        id_(id),
        transform_(context.program.transforms[id]),
        plan_(context.plan.transforms[id.index()]),
        name_(identifier_of(context.program, id)),
        schedule_(schedule),
        kernels_(kernels),
        functions_(std::move(functions)),
        dispatch_(context, id, functions_) {
    for (const Unit& unit : schedule.units)
      if (unit.is_joint()) joint_.insert(unit.steps.begin(), unit.steps.end());
  }

  void emit_functions() {
    std::set<RuleId> done;
    StepFunctions shared;
    for (const StepId step_id : plan_.steps.ids()) {
      const Step& step = plan_.steps[step_id];
      const RuleCode code(context_, id_, step.rule);
      for (const RuleCode& guest : code.tried) {
        if (!done.insert(guest.rule_id).second) continue;
        emit_rule_function(out_, context_, guest);
        out_.blank();
      }
      if (done.insert(step.rule).second) {
        emit_rule_function(out_, context_, code);
        out_.blank();
      }
      if (always_in(step_id) == nullptr)
        functions_[{step_id, Version::Cpu}] = emit_cpu_step(out_, context_, code, step_id, shared);
      for (const Kernel& kernel : kernels_)
        if (kernel.lowered.transform == id_ &&
            std::find(kernel.steps.begin(), kernel.steps.end(), step_id) != kernel.steps.end())
          functions_[{step_id, kernel.lowered.version}] =
              emit_device_step(out_, context_, code, step_id, kernel, shared);
    }
    for (std::size_t n = 0; n < plan_.nests.size(); ++n)
      if (plan_.nests[n].members.size() > 1) emit_nest_members(n);
    for (const Unit& unit : schedule_.units)
      for (const std::size_t fused : fused_in(unit)) emit_fused_step(out_, context_, id_, fused);
  }

  [[nodiscard]] const StepFunctionNames& functions() const { return functions_; }

  void emit_steps(const std::function<void(const StepDispatch&)>& emit_before, const EmitFrame& emit_frame) {
    for (const NeedFlag& need : conditions().needs())
      out_.line("const bool " + need.name + " = " + to_cpp(need.condition) + ";");
    emit_before(dispatch_);
    if (schedule_.is_sequence) {
      for (const Unit& unit : schedule_.units)
        emit_frame ? emit_step_with_frame(unit.steps.front(), emit_frame) : emit_unit(unit, "pb_frame");
      return;
    }
    out_.line("pbrt::StepGraph pb_graph(pb_frame);");
    for (const StepId id : plan_.steps.ids())
      if (has_edge(id)) out_.line("int " + node_name(id) + " = -1;");
    emit_common_dispatch();
    if (schedule_.is_ordered) {
      for (const Unit& unit : schedule_.units) emit_unit_node(unit);
    } else {
      for (std::size_t n = 0; n < plan_.nests.size(); ++n)
        if (plan_.nests[n].members.size() > 1) emit_nest_node(n, "add");
      for (const StepId id : plan_.steps.ids())
        if (always_in(id) == nullptr) emit_node(id, "add");
    }
    for (const StepEdge& edge : plan_.edges) emit_edge(edge);
    out_.line("pb_graph.run();");
  }

 private:
  using Unit = ScheduleUnit;

  const StepConditions& conditions() const { return dispatch_.conditions(); }
  bool has_device(StepId id) const { return conditions().has_device(id); }

  /// The nest that runs `step` whatever is chosen; null if there is none.
  const Nest* always_in(StepId step) const {
    for (const Nest& nest : plan_.nests)
      if (always_runs(plan_, nest) && has_member(nest, step)) return &nest;
    return nullptr;
  }

  std::string nest_stem(std::size_t nest) const { return "T" + name_ + "_n" + std::to_string(nest); }
  std::string member_stem(std::size_t nest, StepId step) const {
    return nest_stem(nest) + "_s" + std::to_string(step.index());
  }

  void emit_nest_members(std::size_t n) {
    const Nest& nest = plan_.nests[n];
    emit_nest_rule(out_, transform_, plan_, n, nest_stem(n));
    for (const NestMember& member : nest.members) {
      const RuleCode code(context_, id_, plan_.steps[member.step].rule);
      emit_member_loops(out_, plan_, nest, part_of(n, code, member));
    }
  }

  NestPart part_of(std::size_t n, const RuleCode& code, const NestMember& member) const {
    return {code, member, member_stem(n, member.step),
            lower_member_loops(code, plan_, plan_.nests[n], member, pack_use(context_))};
  }

  /// Steps that differ in their boxes alone get one closure, which the closures of the steps call.
  void emit_common_dispatch() {
    std::vector<std::pair<StepId, DispatchForm>> forms;
    for (const StepId id : plan_.steps.ids())
      if (has_common_form(id)) forms.emplace_back(id, dispatch_.form_of(id));
    for (const auto& [id, form] : forms) {
      const DispatchForm& wanted = form;
      const auto has_it = [&wanted](const auto& other) { return other.second == wanted; };
      if (find_dispatch(form) != nullptr || std::count_if(forms.begin(), forms.end(), has_it) < 2) continue;
      const std::string name = "pb_run_" + std::to_string(dispatches_.size());
      dispatches_.emplace_back(form, name);
      const RuleCode code(context_, id_, plan_.steps[id].rule);
      std::string params = "pbrt::Frame& pb_step";
      // A step that is shared leaves in its boxes what the CPU does.
      const bool is_shared = dispatch_.is_shared(id);
      for (const StepBox& box : step_boxes(plan_, code, id))
        params += (is_shared ? ", " + box.type + " " : ", const " + box.type + "& ") + box.name;
      out_.open("const auto " + name + " = [&](" + params + ")");
      dispatch_.emit_dispatch(out_, id, "pb_step", true);
      out_.close(";");
    }
  }

  /// The name of the closure for steps of that form; null if they have none.
  const std::string* find_dispatch(const DispatchForm& form) const {
    for (const auto& [known, name] : dispatches_)
      if (known == form) return &name;
    return nullptr;
  }

  /// Whether the step may be a node of its own: joint steps are only on devices.
  bool has_closure(StepId id) const { return !joint_.contains(id) || has_device(id); }

  bool has_common_form(StepId id) const {
    const RuleCode code(context_, id_, plan_.steps[id].rule);
    return always_in(id) == nullptr && has_closure(id) && !box_args(plan_, code, id, true).empty();
  }

  void emit_step_body(StepId id) {
    const std::string* common = has_common_form(id) ? find_dispatch(dispatch_.form_of(id)) : nullptr;
    if (common == nullptr) {
      dispatch_.emit_dispatch(out_, id, "pb_step", false);
      return;
    }
    const RuleCode code(context_, id_, plan_.steps[id].rule);
    out_.line(*common + "(pb_step, " + joined(box_args(plan_, code, id, false)) + ");");
  }

  void emit_step_with_frame(StepId id, const EmitFrame& emit_frame) {
    const Condition condition = conditions().runs(id);
    const bool has_frame = needs_frame(context_, id_, id);
    if (has_frame || !condition.is_always()) out_.open(if_text(condition));
    if (has_frame) emit_frame(out_);
    dispatch_.emit_dispatch(out_, id, has_frame ? "pb_frame" : "pb_parent", false);
    if (has_frame || !condition.is_always()) out_.close();
  }

  void emit_guarded(StepId step_id, const std::string& frame) {
    const Condition condition = conditions().runs(step_id);
    const bool has_block = !condition.is_always() || has_device(step_id);
    if (has_block) out_.open(if_text(condition));
    dispatch_.emit_dispatch(out_, step_id, frame, false);
    if (has_block) out_.close();
  }

  // ---- nests of several steps

  /// Statements that run a nest of several steps in the frame `frame`.
  void emit_joint_nest(std::size_t n, const std::string& frame) {
    const Nest& nest = plan_.nests[n];
    std::vector<RuleCode> codes;
    for (const NestMember& member : nest.members) codes.emplace_back(context_, id_, plan_.steps[member.step].rule);
    std::vector<NestPart> parts;
    for (std::size_t m = 0; m < nest.members.size(); ++m) {
      const NestMember& member = nest.members[m];
      const Step& step = plan_.steps[member.step];
      Condition runs = all_at_least_zero(step.guards);
      if (!runs.is_always()) {
        const std::string name = "pb_runs" + std::to_string(m);
        out_.line("const bool " + name + " = " + to_cpp(runs) + ";");
        runs = Condition::flag(name);
      }
      parts.push_back(part_of(n, codes[m], member));
      parts.back().condition = runs;
      if (conditions().is_decided(step.site))
        out_.line("pb_context.count(" + frame + ", " + site_constant(context_, id_, step.site) + ", " +
                  dispatch_.choice_value(step, Version::Cpu) + ");");
    }
    emit_hosted(nest, parts, [&](const HostParts& hosted) { emit_arrivals(out_, hosted, frame); });
    const std::string extent = is_sliced(nest) ? "" : dispatch_.tile_value(nest);
    emit_nest(out_, plan_, nest, parts,
              {frame, has_split(nest) ? dispatch_.split_value() : "", extent, rule_constant(nest_stem(n))});
    emit_hosted(nest, parts, [&](const HostParts& hosted) { emit_departures(out_, hosted, frame); });
  }

  /// For all slices or tiles of a member at once, where that is early and late enough.
  template <class Emit>
  void emit_hosted(const Nest& nest, const std::vector<NestPart>& parts, const Emit& emit) {
    if (!context_.has_kernels) return;
    for (std::size_t m = 0; m < parts.size(); ++m) {
      const NestPart& part = parts[m];
      if (care_in(plan_, nest, shapes_of(parts), m) != HostCare::Step) continue;
      out_.open(if_text(part.condition));
      emit_boxes(out_, step_boxes(plan_, part.code, part.member.step));
      emit(parts_of_step(plan_, part.code, part.member.step));
      out_.close();
    }
  }

  /// When the nest runs; larger nests come first.
  Condition nest_condition(std::size_t n) const {
    return conditions().nest_runs(n, [](std::size_t larger) { return Condition::flag(nest_name(larger)); });
  }
  static std::string nest_name(std::size_t n) { return "pb_nest_" + std::to_string(n); }

  // ---- all steps

  void emit_unit(const Unit& unit, const std::string& frame) {
    if (unit.is_joint()) {
      emit_joint_loops(unit);
      emit_joint_arrivals(unit, frame);
      out_.line(loops_name(unit) + ".run(" + frame + ", " + dispatch_.split_value() + ");");
      return;
    }
    if (unit.nest == SIZE_MAX) {
      emit_guarded(unit.steps.front(), frame);
      return;
    }
    out_.open(if_text(conditions().is_needed(plan_.nests[unit.nest])));
    emit_joint_nest(unit.nest, frame);
    out_.close();
  }

  static std::string node_name(StepId id) { return "pb_node_" + std::to_string(id.index()); }

  bool has_edge(StepId id) const {
    return std::any_of(plan_.edges.begin(), plan_.edges.end(),
                       [&](const StepEdge& edge) { return edge.before == id || edge.after == id; });
  }

  void emit_edge(const StepEdge& edge) {
    out_.line("pb_graph.depend(" + node_name(edge.after) + ", " + node_name(edge.before) + ");");
  }

  void emit_unit_node(const Unit& unit) {
    if (unit.is_joint()) return emit_joint_node(unit);
    unit.nest == SIZE_MAX ? emit_node(unit.steps.front(), "add_in_order") : emit_nest_node(unit.nest, "add_in_order");
  }

  // ---- joint steps

  /// The closure that runs a step's loops on a part of its box; steps that differ in their boxes alone share it.
  std::string emit_piece_closure(StepId id) {
    const auto [place, is_new] =
        pieces_.emplace(dispatch_.cpu_function(id), "pb_piece_" + std::to_string(pieces_.size()));
    if (is_new) {
      out_.open("const auto " + place->second + " = [&](pbrt::Frame& pb_step, const " + box_type(plan_.steps[id]) +
                "& pb_box)");
      out_.line(dispatch_.piece_call(id, "pb_step"));
      out_.close(";");
    }
    return place->second;
  }

  static std::string loops_name(const Unit& unit) { return "pb_loops_" + std::to_string(unit.steps.front().index()); }

  /// The groups of steps, by index, that run as one loop and are all in the unit.
  std::vector<std::size_t> fused_in(const Unit& unit) const {
    std::vector<std::size_t> out;
    const auto is_in = [&](StepId id) {
      return std::find(unit.steps.begin(), unit.steps.end(), id) != unit.steps.end() && !has_device(id);
    };
    for (std::size_t i = 0; i < plan_.fused.size(); ++i)
      if (unit.is_joint() && std::all_of(plan_.fused[i].begin(), plan_.fused[i].end(), is_in)) out.push_back(i);
    return out;
  }
  static std::string fused_name(std::size_t index) { return "pb_fused_" + std::to_string(index); }

  /// When all steps of the group run, as one loop.
  Condition condition_of_fused(std::size_t index) const { return conditions().all_run(plan_.fused[index]); }
  /// The flag that says so.
  static Condition fused_flag(std::size_t index) { return Condition::flag("pb_is_fused_" + std::to_string(index)); }

  /// Adds the steps of a group to the loops of its unit, as one.
  void emit_fused(const std::string& loops, std::size_t index) {
    const FusedSteps& steps = plan_.fused[index];
    const std::string name = fused_name(index);
    const Condition condition = condition_of_fused(index);
    if (!condition.is_always()) out_.line("const bool " + fused_flag(index).name() + " = " + to_cpp(condition) + ";");
    out_.open("const auto " + name + " = [&](pbrt::Frame& pb_step, const " + box_type(plan_.steps[steps[0]]) +
              "& pb_box)");
    out_.line(fused_call(context_, id_, index, "pb_step"));
    out_.close(";");
    std::vector<std::string> boxes;
    std::vector<std::string> args{name};
    for (const StepId id : steps) {
      boxes.push_back(box_initializer(plan_.steps[id]));
      args.push_back(emit_piece_closure(id));
    }
    if (!condition.is_always()) out_.open(if_text(fused_flag(index)));
    for (const StepId id : steps) dispatch_.emit_count(out_, id, "pb_frame");
    out_.line(loops + ".add_fused({" + joined(boxes) + "}, " + joined(args) + ");");
    if (!condition.is_always()) out_.close();
  }

  /// Parts that the loops of a unit may have.
  std::size_t num_parts(const Unit& unit, const std::vector<std::size_t>& fused) const {
    std::size_t count = unit.steps.size();
    for (const std::size_t index : fused)
      count += 1 + 2 * plan_.steps[unit.steps.front()].loops.size() * plan_.fused[index].size();
    return count;
  }

  /// When a step of a unit runs by itself.
  Condition condition_alone(StepId id, const std::vector<std::size_t>& fused) const {
    std::vector<Condition> terms{conditions().runs(id)};
    for (const std::size_t index : fused) {
      const FusedSteps& steps = plan_.fused[index];
      if (std::find(steps.begin(), steps.end(), id) == steps.end()) continue;
      terms.push_back(condition_of_fused(index).is_always() ? Condition::never() : Condition::not_(fused_flag(index)));
    }
    return Condition::all_of(std::move(terms));
  }

  /// Declares the loops of what of the unit runs on the CPU; the rest becomes nodes of the graph.
  void emit_joint_loops(const Unit& unit) {
    const std::string loops = loops_name(unit);
    const std::vector<std::size_t> fused = fused_in(unit);
    for (const StepId id : unit.steps) {
      (void)emit_piece_closure(id);
      if (has_device(id)) emit_step_closure(id);
    }
    out_.line("pbrt::JointLoops<" + std::to_string(plan_.steps[unit.steps.front()].loops.size()) + ", " +
              std::to_string(num_parts(unit, fused)) + "> " + loops + ";");
    for (const std::size_t index : fused) emit_fused(loops, index);
    for (const StepId id : unit.steps)
      if (const Condition condition = condition_alone(id, fused); !condition.is_never())
        emit_joint_step(loops, id, condition);
  }

  void emit_joint_step(const std::string& loops, StepId id, const Condition& condition) {
    const bool may_be_on_device = has_device(id);
    if (may_be_on_device) {
      out_.open(if_text(conditions().tries_device(id)));
      out_.line((has_edge(id) ? node_name(id) + " = " : "") + "pb_graph.add_in_order(" + step_closure_name(id) + ");");
      out_.reopen(condition.is_always() ? "else" : "else " + if_text(condition));
    } else if (!condition.is_always()) {
      out_.open(if_text(condition));
    }
    const RuleCode code(context_, id_, plan_.steps[id].rule);
    dispatch_.emit_count(out_, id, "pb_frame");
    out_.line(loops + ".add(" + joined(box_args(plan_, code, id, false)) + ", " + emit_piece_closure(id) + ");");
    if (may_be_on_device || !condition.is_always()) out_.close();
  }

  /// Waits for what the loops read at once, not piece by piece.
  void emit_joint_arrivals(const Unit& unit, const std::string& frame) {
    if (!context_.has_kernels) return;
    out_.open("if (" + frame + ".has_device()) [[unlikely]]");
    for (const StepId id : unit.steps) {
      const Condition on_device = has_device(id) ? conditions().tries_device(id) : Condition::never();
      const RuleCode code(context_, id_, plan_.steps[id].rule);
      out_.open(if_text(Condition::all_of({conditions().runs(id), Condition::not_(on_device)})));
      emit_boxes(out_, step_boxes(plan_, code, id));
      emit_arrivals(out_, parts_of_step(plan_, code, id), frame);
      out_.close();
    }
    out_.close();
  }

  void emit_joint_node(const Unit& unit) {
    const std::string loops = loops_name(unit);
    const std::string closure = "pb_run_" + loops.substr(3);
    emit_joint_loops(unit);
    out_.open("const auto " + closure + " = [&](pbrt::Frame& pb_step)");
    emit_joint_arrivals(unit, "pb_step");
    out_.line(loops + ".run(pb_step, " + dispatch_.split_value() + ");");
    out_.close(";");
    const bool has_edges = std::any_of(unit.steps.begin(), unit.steps.end(), [&](StepId id) { return has_edge(id); });
    const std::string node = "pb_node_of_" + loops;
    out_.line((has_edges ? "const int " + node + " = " : "") + "pb_graph.add_in_order(" + closure + ");");
    for (const StepId id : unit.steps)
      if (has_edge(id))
        out_.line((has_device(id) ? "if (" + node_name(id) + " < 0) " : "") + node_name(id) + " = " + node + ";");
  }

  /// `add`: the function of the graph that takes the node.
  void emit_nest_node(std::size_t n, const std::string& add) {
    const Nest& nest = plan_.nests[n];
    const Condition condition = nest_condition(n);
    if (!condition.is_always()) out_.declare("const bool", nest_name(n), to_cpp(condition));
    std::string nodes;
    for (const NestMember& member : nest.members)
      if (has_edge(member.step)) nodes += node_name(member.step) + " = ";
    const std::string closure = "pb_run_nest_" + std::to_string(n);
    out_.open("const auto " + closure + " = [&](pbrt::Frame& pb_step)");
    emit_joint_nest(n, "pb_step");
    out_.close(";");
    const Condition flag = condition.is_always() ? condition : Condition::flag(nest_name(n));
    out_.line(guarded_text(flag, nodes + "pb_graph." + add + "(" + closure + ");"));
  }

  void emit_node(StepId id, const std::string& add) {
    std::vector<Condition> terms{conditions().runs(id)};
    for (std::size_t n = 0; n < plan_.nests.size(); ++n)
      if (plan_.nests[n].members.size() > 1 && has_member(plan_.nests[n], id))
        terms.push_back(Condition::not_(Condition::flag(nest_name(n))));
    const Condition condition = Condition::all_of(std::move(terms));
    emit_step_closure(id);
    out_.line(guarded_text(condition, (has_edge(id) ? node_name(id) + " = " : "") + "pb_graph." + add + "(" +
                                          step_closure_name(id) + ");"));
  }

  static std::string step_closure_name(StepId id) { return "pb_step_" + std::to_string(id.index()); }
  void emit_step_closure(StepId id) {
    out_.open("const auto " + step_closure_name(id) + " = [&](pbrt::Frame& pb_step)");
    emit_step_body(id);
    out_.close(";");
  }

  Writer& out_;
  const CppContext& context_;
  TransformId id_;
  const Transform& transform_;
  const TransformPlan& plan_;
  std::string name_;
  const Schedule& schedule_;
  const std::vector<Kernel>& kernels_;
  StepFunctionNames functions_;
  StepDispatch dispatch_;
  std::vector<std::pair<DispatchForm, std::string>> dispatches_;  ///< closures for several steps, with their names
  std::map<std::string, std::string> pieces_;  ///< closures for pieces of joint steps: names, by the step function
  std::set<StepId> joint_;                     ///< steps of joint units
};

}  // namespace

StepFunctionNames emit_schedule_functions(Writer& out, const CppContext& context, TransformId transform,
                                          const Schedule& schedule, const std::vector<Kernel>& kernels) {
  ScheduleEmitter emitter(out, context, transform, schedule, kernels, {});
  emitter.emit_functions();
  return emitter.functions();
}

void emit_schedule(Writer& out, const CppContext& context, TransformId transform, const Schedule& schedule,
                   const StepFunctionNames& functions, const std::function<void(const StepDispatch&)>& emit_before,
                   const EmitFrame& emit_frame) {
  const std::vector<Kernel> none;
  ScheduleEmitter(out, context, transform, schedule, none, functions).emit_steps(emit_before, emit_frame);
}

}  // namespace pb
