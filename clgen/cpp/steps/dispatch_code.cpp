// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/dispatch_code.h"

#include <algorithm>

#include "choicegraph/plan/launches/read_neighbours.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/context/tunable_code.h"
#include "clgen/cpp/loops/nest_code.h"
#include "clgen/cpp/loops/piece_code.h"
#include "clgen/cpp/steps/step_code.h"
#include "clgen/facts/names.h"
#include "clgen/lower/analysis/nest_shape.h"

namespace pb {
namespace {

constexpr int kEighths = 8;  // runtime/gpu/share.h

/// Returns the text as an operand of `?:`.
std::string operand_text(const CopyOutChoice& choice) {
  return choice.cases.empty() ? to_cpp(choice) : "(" + to_cpp(choice) + ")";
}

}  // namespace

/// Returns what `read` makes of the first tunable that `matches`; none if no tunable does.
std::optional<std::string> StepDispatch::find_tunable(const TunableTest& matches, TunableReader read) const {
  const auto found = std::find_if(plan_.tunables.begin(), plan_.tunables.end(), matches);
  if (found == plan_.tunables.end()) return std::nullopt;
  return read(context_, id_, static_cast<std::size_t>(found - plan_.tunables.begin()), "pb_context", "pb_n");
}

std::optional<std::string> StepDispatch::share_value() const {
  const auto matches = [](const PlanTunable& tunable) {
    const bool is_all = !tunable.fixed.empty() && tunable.fixed.front() == tunable.max;
    return tunable.role == TunableRole::DeviceShare && !is_all;
  };
  return find_tunable(matches, tunable_value);
}

bool StepDispatch::is_shared(StepId id) const { return conditions_.has_device(id) && !lowered(id).cuts.empty(); }

std::string StepDispatch::split_value() const {
  return find_tunable([](const PlanTunable& tunable) { return tunable.role == TunableRole::Split; }, tunable_value)
      .value_or("64");
}

std::string StepDispatch::tile_value(const Nest& nest) const {
  const std::string name = tile_name(plan_, transform_, nest);
  return find_tunable([&](const PlanTunable& tunable) { return tunable.name == name; }, tunable_elements)
      .value_or("nullptr");
}

/// Returns the last argument of the step's CPU function, with the comma before it.
std::string StepDispatch::pieces_arg(StepId id) const {
  switch (lowered(id).pieces) {
    case StepPieces::None:
      return "";
    case StepPieces::Split:
      return ", " + split_value();
    case StepPieces::Tiles:
      return ", " + tile_value(*own_nest(plan_, id));
  }
  return "";
}

std::string StepDispatch::shape_value(const Step& step, Version version, TunableRole role) const {
  const auto matches = [&](const PlanTunable& tunable) {
    return tunable.role == role && tunable.rule == step.rule && tunable.version == version;
  };
  return find_tunable(matches, tunable_elements).value_or("nullptr");
}

std::string StepDispatch::choice_value(const Step& step, Version version) const {
  const std::vector<int> choices = choices_running(plan_, step, version);
  if (choices.size() == 1) return std::to_string(choices.front());
  const bool may_be_device = !conditions_.chosen(step, kDeviceVersions).is_never();
  if (version != Version::Cpu || !may_be_device) return choice_name(step.site);
  return "kOnCpu_" + std::to_string(step.site.index()) + "[" + choice_name(step.site) + "]";
}

DispatchForm StepDispatch::form_of(StepId id) const {
  const Step& step = plan_.steps[id];
  DispatchForm out;
  out.rule = step.rule;
  out.site = step.site;
  for (const Version version : {Version::Cpu, Version::OpenCl, Version::OpenClLocal}) {
    const auto function = functions_.find({id, version});
    if (function != functions_.end()) out.functions[version] = function->second;
    out.choices[version] = choices_running(plan_, step, version);
  }
  if (!conditions_.has_device(id)) return out;
  if (is_shared(id)) {
    out.cuts = lowered(id).cuts;
    out.fetches = lowered(id).fetched;
    for (BoxCut& cut : out.cuts) cut.box.bounds.clear();
  }
  out.copy_out = conditions_.copy_out(id);
  out.copy_out_of_whole = conditions_.copy_out_of_whole(id);
  out.copy_out_of_part = conditions_.copy_out_of_part(id);
  return out;
}

void StepDispatch::emit_dispatch(Writer& out, StepId step_id, const std::string& frame, bool are_boxes_declared) const {
  const Step& step = plan_.steps[step_id];
  const RuleCode code(context_, id_, step.rule);
  // A device runs slices elsewhere.
  if (!conditions_.has_device(step_id) || lowered(step_id).slice) {
    emit_on_cpu(out, step_id, code, frame, box_args(lowered(step_id), are_boxes_declared));
    return;
  }
  const bool shares = is_shared(step_id);
  if (!are_boxes_declared) emit_boxes(out, lowered(step_id).boxes, shares);
  out.line("pbrt::gpu::StepCheck pb_check;");
  if (shares) {
    emit_shared_tries(out, step_id, code, frame);
  } else {
    emit_tries(out,
               device_tries(step_id, code, frame, boxes_ending(step_id, ""), to_cpp(conditions_.copy_out(step_id))));
  }
  out.open(kIfNotRun);
  emit_on_cpu(out, step_id, code, frame, box_args(lowered(step_id), true));
  emit_comparison(out, frame);
  out.close();
}

std::vector<std::string> StepDispatch::boxes_ending(StepId step, const std::string& end) const {
  std::vector<std::string> names = box_args(lowered(step), true);
  for (std::string& name : names) name += end;
  return names;
}

void StepDispatch::emit_on_cpu(Writer& out, StepId step_id, const RuleCode& code, const std::string& frame,
                               const std::vector<std::string>& boxes) const {
  emit_count(out, step_id, frame);
  out.line(cpu_call(step_id, code, frame, boxes, pieces_arg(step_id)));
}

/// Prints `tries` between `begin` and `end`: they are tried one after the other until one has run.
void StepDispatch::emit_any_of(Writer& out, const std::vector<Try>& tries, const std::string& begin,
                               const std::string& end) {
  const std::string margin(begin.size(), ' ');
  for (std::size_t i = 0; i < tries.size(); ++i) {
    out.line((i == 0 ? begin : margin) + tries[i].head);
    out.line(margin + "    " + tries[i].arguments + (i + 1 < tries.size() ? " ||" : end));
  }
}

void StepDispatch::emit_slice_tries(Writer& out, StepId step, const std::string& frame, const std::string& box) const {
  out.line("pbrt::gpu::StepCheck pb_check;");
  const RuleCode code(context_, id_, plan_.steps[step].rule);
  emit_tries(out, device_tries(step, code, frame, {box}, to_cpp(conditions_.copy_out_of_slice(step))));
}

void StepDispatch::emit_device_piece(Writer& out, StepId step, const std::string& frame, const std::string& box,
                                     const std::string& copy_out) const {
  const RuleCode code(context_, id_, plan_.steps[step].rule);
  emit_any_of(out, device_tries(step, code, frame, {box}, copy_out), "return ", ";");
}

void StepDispatch::emit_tries(Writer& out, const std::vector<Try>& tries) const {
  const std::optional<std::string> share = share_value();
  out.line("const bool pb_has_run =");
  if (share) out.line("    pbrt::gpu::is_mostly_on_device(" + *share + ") &&" + (tries.size() > 1 ? " (" : ""));
  emit_any_of(out, tries, "    ", share && tries.size() > 1 ? ");" : ";");
}

/// The text of an expression for a part of a box.
static std::string text_of_part(const BoxCut& cut, const std::string& which, const std::string& places) {
  return "pbrt::gpu::" + which + "_part(" + cut.box.name + ", " + std::to_string(cut.dim) + ", " + places + ")";
}
/// The same with a semicolon.
static std::string part_of(const BoxCut& cut, const std::string& which, const std::string& places) {
  return text_of_part(cut, which, places) + ";";
}

/// Prints the declaration of `pb_has_run` for a step that a device and the CPU share. It says whether both parts ran,
/// or the device ran all. If the device cannot run its part, the boxes keep what is left for the CPU.
void StepDispatch::emit_shared_tries(Writer& out, StepId step, const RuleCode& code, const std::string& frame) const {
  out.line("bool pb_has_run = false;");
  out.open(if_text(conditions_.chosen(plan_.steps[step], kDeviceVersions)) + " [[unlikely]]");
  const std::vector<BoxCut>& cuts = lowered(step).cuts;
  const std::string extent = "pb_box.extent(" + std::to_string(cuts.front().dim) + ")";
  const std::string all = std::to_string(kEighths);
  out.line("const std::int64_t pb_share = pbrt::gpu::share_of_device(" + extent + ", " + share_value().value_or(all) +
           ");");
  out.line("const bool pb_is_all = pb_share == " + extent + ";");
  for (const BoxCut& cut : cuts)
    out.line("const " + type_of(cut.box) + " " + cut.box.name + kOnCpu + " = " + part_of(cut, "upper", "pb_share"));
  out.open("if (!pb_is_all)");
  emit_fetches(out, lowered(step).fetched, frame);
  out.close();
  const std::vector<Try> tries = device_tries(step, code, "pb_task", boxes_ending(step, kOnDevice),
                                              "pb_is_all ? " + operand_text(conditions_.copy_out_of_whole(step)) +
                                                  " : " + operand_text(conditions_.copy_out_of_part(step)));
  out.open(
      "const auto pb_piece_on_device = [&](pbrt::Frame& pb_task, std::int64_t pb_first, std::int64_t pb_count, "
      "pbrt::gpu::Piece& pb_piece)");
  for (const BoxCut& cut : cuts)
    out.line("const " + type_of(cut.box) + " " + cut.box.name + kOnDevice + " = " +
             part_of(cut, "middle", "pb_first, pb_count"));
  emit_any_of(out, tries, "return ", ";");
  out.close(";");
  out.line("std::int64_t pb_done = 0;");
  out.open("const auto pb_device = [&]");
  out.line("pb_done = pbrt::gpu::run_in_blocks(" + frame + ", pb_context.gpu(), " +
           block_extent(plan_.steps[step], "pb_share", text_of_part(cuts.front(), "lower", "pb_share")) +
           ", pb_piece_on_device);");
  out.line("if (pb_check.has_results()) pb_done = 0;");
  out.line("return pb_done == pb_share;");
  out.close(";");
  out.open("const auto pb_rest = [&](pbrt::Frame& pb_task)");
  emit_on_cpu(out, step, code, "pb_task", boxes_ending(step, kOnCpu));
  out.close(";");
  out.line("pb_has_run = pb_is_all ? pb_device() : pbrt::gpu::run_shared(" + frame + ", pb_device, pb_rest);");
  // What the device could not run of its part is left for the CPU.
  for (const BoxCut& cut : cuts) out.line(cut.box.name + " = " + part_of(cut, "middle", "pb_done, pb_share - pb_done"));
  out.close();
}

std::string block_extent(const Step& step, const std::string& indices, const std::string& box) {
  const std::int64_t reach = neighbours_read(step);
  return reach == 0 ? indices : "{" + indices + ", " + box + ".volume(), " + std::to_string(reach) + "}";
}

void StepDispatch::emit_count(Writer& out, StepId step_id, const std::string& frame, Version version) const {
  const Step& step = plan_.steps[step_id];
  if (conditions_.is_decided(step.site))
    out.line("pb_context.count(" + frame + ", " + site_constant(context_, id_, step.site) + ", " +
             choice_value(step, version) + ");");
}

std::string StepDispatch::piece_call(StepId step, const std::string& frame) const {
  const RuleCode code(context_, id_, plan_.steps[step].rule);
  return cpu_call(step, code, frame, box_args(lowered(step), true), ", pbrt::kWholeBox");
}

std::string StepDispatch::cpu_call(StepId step, const RuleCode& code, const std::string& frame,
                                   const std::vector<std::string>& boxes, const std::string& pieces) const {
  std::vector<std::string> args = versioned_step_args(plan_, code, frame);
  args.insert(args.end(), boxes.begin(), boxes.end());
  return cpu_function(step) + "(" + joined(args) + pieces + ");";
}

std::vector<StepDispatch::Try> StepDispatch::device_tries(StepId step_id, const RuleCode& code,
                                                          const std::string& frame,
                                                          const std::vector<std::string>& boxes,
                                                          const std::string& copy_out) const {
  const Step& step = plan_.steps[step_id];
  std::vector<Try> tries;
  std::vector<std::string> args = versioned_step_args(plan_, code, frame);
  args.insert(args.end(), boxes.begin(), boxes.end());
  for (const Version version : kDeviceVersions) {
    const Condition chosen = conditions_.chosen(step, {&version, 1});
    if (chosen.is_never()) continue;
    std::string shapes = shape_value(step, version, TunableRole::WorkGroup) + ", " +
                         shape_value(step, version, TunableRole::Items) + ", ";
    for (const LoweredKernel& kernel : lowered(step_id).kernels) {
      if (kernel.tree.version != version) continue;
      std::vector<TunableRole> roles;
      if (instance_with_lanes(kernel.tree.tree) != nullptr) roles.push_back(TunableRole::FoldItems);
      if (kernel.tree.kept_length) roles.push_back(TunableRole::KeptRounds);
      if (instance_in_blocks(kernel.tree.tree) != nullptr)
        roles.insert(roles.end(), {TunableRole::BlockItems, TunableRole::BlockRounds, TunableRole::BlockStages,
                                   TunableRole::BlockParts, TunableRole::MatrixUnits});
      for (const TunableRole role : roles) shapes += shape_value(step, version, role) + ", ";
    }
    tries.push_back({"(" + to_operand(chosen) + " && " + functions_.at({step_id, version}) + "(" + joined(args) + ",",
                     shapes + copy_out + ", " + site_constant(context_, id_, step.site) + ", " +
                         choice_value(step, version) +
                         (is_shared(step_id) ? ", pb_check, pb_piece))" : ", pb_check))")});
  }
  return tries;
}

}  // namespace pb
