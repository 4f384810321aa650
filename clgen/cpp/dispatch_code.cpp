// SPDX-License-Identifier: MIT
#include "clgen/cpp/dispatch_code.h"

#include <algorithm>

#include "clgen/cpp/nest_code.h"
#include "clgen/cpp/step_code.h"
#include "clgen/cpp/transform_code.h"
#include "clgen/cpp/tunable_code.h"
#include "clgen/names.h"

namespace pb {
namespace {

constexpr Version kAllVersions[] = {Version::Cpu, Version::OpenCl, Version::OpenClLocal};
/// What follows the names of boxes that a device gets, and that the CPU gets meanwhile.
constexpr const char* kOnDevice = "_on_device";
constexpr const char* kOnCpu = "_on_cpu";
constexpr Version kDeviceVersions[] = {Version::OpenCl, Version::OpenClLocal};

/// Unless it is a name.
std::string in_parentheses(const std::string& expression) {
  return expression.find(' ') == std::string::npos ? expression : "(" + expression + ")";
}

std::string need_name(std::size_t need) { return "pb_needed_" + std::to_string(need); }

}  // namespace

std::string choice_name(SiteId site) { return "pb_choice_" + std::to_string(site.index()); }

bool StepDispatch::is_decided(SiteId site) const { return is_decision(plan_.sites[site]); }

/// What `read` makes of the first tunable that `matches`; `otherwise` if there is none.
std::string StepDispatch::tunable_of(const TunableTest& matches, TunableReader read, const std::string& otherwise) const {
  const auto found = std::find_if(plan_.tunables.begin(), plan_.tunables.end(), matches);
  if (found == plan_.tunables.end()) return otherwise;
  return read(context_, id_, static_cast<std::size_t>(found - plan_.tunables.begin()), "pb_context", "pb_n");
}

/// Eighths that a device gets of steps that it shares; empty: all, in all calls.
std::string StepDispatch::eighths_value() const {
  const auto matches = [](const PlanTunable& tunable) {
    const bool is_all = !tunable.fixed.empty() && tunable.fixed.front() == tunable.max;
    return tunable.kind == TunableKind::DeviceShare && !is_all;
  };
  return tunable_of(matches, tunable_value, "");
}

bool StepDispatch::is_shared(StepId id) const {
  if (!has_device(id) || eighths_value().empty()) return false;
  return !cuts_of(plan_, RuleCode(context_, id_, plan_.steps[id].rule), id).empty();
}

bool StepDispatch::has_device(StepId id) const {
  return is_decided(plan_.steps[id].site) && !is_chosen(plan_.steps[id], kDeviceVersions).empty();
}

void StepDispatch::emit_needs(Writer& out) {
  for (const StepNeed& need : needs_of(plan_, transform_)) {
    std::vector<std::string> terms;
    for (const StepId reader : need.readers) {
      const std::string condition = condition_of(reader);
      terms.push_back(condition.find(" && ") == std::string::npos ? condition : "(" + condition + ")");
    }
    out.line("const bool " + need_name(needs_.size()) + " = " + (terms.empty() ? "false" : joined(terms, " || ")) +
             ";");
    needs_.push_back(need);
  }
}

/// The name of what says whether some other step reads what `step` writes; empty: the step needs no reader.
std::string StepDispatch::need_of(StepId step) const {
  for (std::size_t i = 0; i < needs_.size(); ++i)
    if (std::find(needs_[i].steps.begin(), needs_[i].steps.end(), step) != needs_[i].steps.end()) return need_name(i);
  return "";
}

std::string StepDispatch::need_of(const Nest& nest) const {
  std::vector<std::string> terms;
  for (const NestMember& member : nest.members) {
    std::string need = need_of(member.step);
    if (need.empty()) return "";
    if (std::find(terms.begin(), terms.end(), need) == terms.end()) terms.push_back(std::move(need));
  }
  return terms.size() < 2 ? joined(terms) : "(" + joined(terms, " || ") + ")";
}

/// `pb_choice_0 == 1`, or several of them, for the choices under which the step runs in one of `versions`.
std::string StepDispatch::is_chosen(const Step& step, std::span<const Version> versions) const {
  std::vector<int> choices;
  for (const Version version : versions)
    for (const int choice : choices_running(plan_, step, version)) choices.push_back(choice);
  std::sort(choices.begin(), choices.end());
  std::vector<std::string> terms;
  for (const int choice : choices) terms.push_back(choice_name(step.site) + " == " + std::to_string(choice));
  return joined(terms, " || ");
}

std::string StepDispatch::choice_condition_of(const Step& step) const {
  if (always_runs(plan_, step)) return "";
  const std::string chosen = is_chosen(step, kAllVersions);
  return chosen.find(" || ") != std::string::npos ? "(" + chosen + ")" : chosen;
}

namespace {

bool has_access(const std::vector<RegionAccess>& accesses, MatrixId matrix) {
  return std::any_of(accesses.begin(), accesses.end(), [&](const RegionAccess& each) { return each.matrix == matrix; });
}

}  // namespace

std::string StepDispatch::read_condition(MatrixId matrix) const {
  return any_condition([&](const Rule& rule) { return has_access(rule.inputs, matrix); });
}

std::string StepDispatch::touched_condition(MatrixId matrix) const {
  // Instances that name cells lie inside the matrix, so there are none where that has no cells.
  const auto has_all = [&](const std::vector<RegionAccess>& accesses) {
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](const RegionAccess& access) { return access.matrix == matrix && access.kind == AccessKind::All; });
  };
  return any_condition([&](const Rule& rule) { return has_all(rule.inputs) || has_all(rule.outputs); });
}

std::string StepDispatch::use_condition(MatrixId matrix) const {
  return any_condition([&](const Rule& rule) { return has_access(rule.inputs, matrix) || has_access(rule.outputs, matrix); });
}

/// When a step runs whose rule is one of those; empty: always.
std::string StepDispatch::any_condition(const std::function<bool(const Rule&)>& concerns) const {
  std::vector<std::string> terms;
  for (const StepId id : plan_.steps.ids()) {
    if (!concerns(transform_.rules[plan_.steps[id].rule])) continue;
    const std::string condition = condition_of(id);
    if (condition.empty()) return "";
    terms.push_back(condition.find(" && ") == std::string::npos ? condition : "(" + condition + ")");
  }
  if (terms.empty()) return "false";
  return terms.size() == 1 ? terms.front() : "(" + joined(terms, " || ") + ")";
}

std::string StepDispatch::condition_of(StepId id) const { return condition_with(id, choice_condition_of(plan_.steps[id])); }

std::string StepDispatch::device_condition_of(StepId id) const {
  const std::string chosen = is_chosen(plan_.steps[id], kDeviceVersions);
  return condition_with(id, chosen.find(" || ") != std::string::npos ? "(" + chosen + ")" : chosen);
}

/// What must hold beside `choices`.
std::string StepDispatch::condition_with(StepId id, std::string choices) const {
  std::vector<std::string> terms;
  if (std::string need = need_of(id); !need.empty()) terms.push_back(std::move(need));
  if (!choices.empty()) terms.push_back(std::move(choices));
  for (const IndexExpr& guard : plan_.steps[id].guards) terms.push_back("(" + to_cpp(guard) + ") >= 0");
  return joined(terms, " && ");
}

std::string StepDispatch::split_value() const {
  return tunable_of([](const PlanTunable& tunable) { return tunable.kind == TunableKind::Split; }, tunable_value, "64");
}

std::string StepDispatch::tile_value(const Nest& nest) const {
  const std::string name = tile_name(plan_, transform_, nest);
  return tunable_of([&](const PlanTunable& tunable) { return tunable.name == name; }, tunable_elements, "nullptr");
}

/// The last argument of the step's CPU function, with its comma.
std::string StepDispatch::pieces_arg(StepId id) const {
  switch (pieces_of(plan_, id)) {
    case StepPieces::None:
      return "";
    case StepPieces::Split:
      return ", " + split_value();
    case StepPieces::Tiles:
      return ", " + tile_value(*own_nest(plan_, id));
  }
  return "";
}

std::string StepDispatch::group_value(const Step& step, Version version) const {
  const auto matches = [&](const PlanTunable& tunable) {
    return tunable.kind == TunableKind::WorkGroup && tunable.rule == step.rule && tunable.version == version;
  };
  return tunable_of(matches, tunable_elements, "nullptr");
}

/// What follows the cells a device step writes: when steps on the CPU do, and when steps on a device.
StepDispatch::Followers StepDispatch::followers_of(StepId step_id) const {
  Followers out;
  for (const StepEdge& edge : plan_.edges) {
    if (edge.before != step_id) continue;
    const Step& after = plan_.steps[edge.after];
    const std::string condition = condition_of(edge.after);
    const std::string device = is_decided(after.site) ? is_chosen(after, kDeviceVersions) : "";
    const std::string not_device = device.empty() ? "true" : "!(" + device + ")";
    out.on_cpu.push_back(condition.empty() ? not_device : "(" + condition + " && " + not_device + ")");
    out.on_device.push_back(condition.empty() ? "true" : "(" + condition + ")");
  }
  return out;
}

bool StepDispatch::writes_temporaries(StepId step_id) const {
  const std::vector<SegmentId>& segments = plan_.steps[step_id].segments;
  return std::all_of(segments.begin(), segments.end(), [&](SegmentId id) {
    return transform_.matrices[plan_.segments[id].matrix].role == MatrixRole::Through;
  });
}

std::string StepDispatch::copy_out_value(StepId step, const std::string& of_output) const {
  const Followers followers = followers_of(step);
  if (followers.on_cpu.empty()) return writes_temporaries(step) ? "pbrt::gpu::CopyOut::May" : of_output;
  const std::string otherwise = writes_temporaries(step)
                                    ? "(" + joined(followers.on_device, " || ") + ") ? pbrt::gpu::CopyOut::Reused : pbrt::gpu::CopyOut::May"
                                    : of_output;
  return "(" + joined(followers.on_cpu, " || ") + ") ? pbrt::gpu::CopyOut::Must : " + otherwise;
}

/// The same for a step that may be divided and is not: its instances write their part of the outputs once.
std::string StepDispatch::whole_copy_out_value(StepId step) const {
  return copy_out_value(step, "pb_parent.is_root() ? pbrt::gpu::CopyOut::Result : pbrt::gpu::CopyOut::May");
}

/// The same for the device's part of a divided step: what the CPU needs of it afterwards is read back while the CPU does its own.
/// Results of the whole run are needed; of those of other calls nobody knows how much.
std::string StepDispatch::shared_copy_out_value(StepId step) const {
  std::vector<std::string> terms = followers_of(step).on_cpu;
  if (!writes_temporaries(step)) terms.emplace_back("pb_parent.is_root()");
  if (terms.empty()) return "pbrt::gpu::CopyOut::May";
  return (terms.size() == 1 ? terms.front() : "(" + joined(terms, " || ") + ")") + " ? pbrt::gpu::CopyOut::Eager : pbrt::gpu::CopyOut::May";
}

std::string StepDispatch::choice_value(const Step& step, Version version) const {
  const std::vector<int> choices = choices_running(plan_, step, version);
  if (choices.size() == 1) return std::to_string(choices.front());
  const bool may_be_device = !is_chosen(step, kDeviceVersions).empty();
  if (version != Version::Cpu || !may_be_device) return choice_name(step.site);
  return "kOnCpu_" + std::to_string(step.site.index()) + "[" + choice_name(step.site) + "]";
}

void StepDispatch::emit_dispatch(Writer& out, StepId step_id, const std::string& frame, bool are_boxes_declared) const {
  const Step& step = plan_.steps[step_id];
  const RuleCode code(context_, id_, step.rule);
  if (!has_device(step_id)) {
    emit_on_cpu(out, step_id, code, frame, box_args(plan_, code, step_id, are_boxes_declared));
    return;
  }
  const bool shares = is_shared(step_id);
  if (!are_boxes_declared) emit_boxes(out, step_boxes(plan_, code, step_id), shares);
  shares ? emit_shared_tries(out, step_id, code, frame) : emit_tries(out, step_id, code, frame);
  out.open("if (!pb_has_run)");
  emit_on_cpu(out, step_id, code, frame, box_args(plan_, code, step_id, true));
  out.close();
}

std::vector<std::string> StepDispatch::boxes_ending(const RuleCode& code, StepId step, const std::string& end) const {
  std::vector<std::string> names = box_args(plan_, code, step, true);
  for (std::string& name : names) name += end;
  return names;
}

void StepDispatch::emit_on_cpu(Writer& out, StepId step_id, const RuleCode& code, const std::string& frame,
                               const std::vector<std::string>& boxes) const {
  emit_count(out, step_id, frame);
  out.line(cpu_call(step_id, code, frame, boxes, pieces_arg(step_id)));
}

/// `tries`, one after the other until one has run, between `begin` and `end`.
void StepDispatch::emit_any_of(Writer& out, const std::vector<Try>& tries, const std::string& begin, const std::string& end) {
  const std::string margin(begin.size(), ' ');
  for (std::size_t i = 0; i < tries.size(); ++i) {
    out.line((i == 0 ? begin : margin) + tries[i].head);
    out.line(margin + "    " + tries[i].arguments + (i + 1 < tries.size() ? " ||" : end));
  }
}

/// Declares `pb_has_run`: whether a device runs the step.
void StepDispatch::emit_tries(Writer& out, StepId step, const RuleCode& code, const std::string& frame) const {
  const std::vector<Try> tries = device_tries(step, code, frame, "", copy_out_value(step));
  const std::string eighths = eighths_value();
  out.line("const bool pb_has_run =");
  if (!eighths.empty()) out.line("    pbrt::gpu::is_mostly_on_device(" + eighths + ") &&" + (tries.size() > 1 ? " (" : ""));
  emit_any_of(out, tries, "    ", !eighths.empty() && tries.size() > 1 ? ");" : ";");
}

/// The same for a device that gets a part of the step; the boxes keep the rest.
void StepDispatch::emit_shared_tries(Writer& out, StepId step, const RuleCode& code, const std::string& frame) const {
  out.line("bool pb_has_run = false;");
  out.open("if (" + is_chosen(plan_.steps[step], kDeviceVersions) + ") [[unlikely]]");
  const std::vector<BoxCut> cuts = cuts_of(plan_, code, step);
  const std::string extent = "pb_box.extent(" + std::to_string(cuts.front().dim) + ")";
  out.line("const std::int64_t pb_share = pbrt::gpu::share_of_device(" + extent + ", " + eighths_value() + ");");
  out.line("const bool pb_is_all = pb_share == " + extent + ";");
  for (const BoxCut& cut : cuts) {
    const std::string args = "(" + cut.box.name + ", " + std::to_string(cut.dim) + ", pb_share);";
    out.line("const " + cut.box.type + " " + cut.box.name + kOnDevice + " = pbrt::gpu::lower_part" + args);
    out.line("const " + cut.box.type + " " + cut.box.name + kOnCpu + " = pbrt::gpu::upper_part" + args);
  }
  out.open("if (!pb_is_all)");
  for (const std::string& fetch : fetches_of(plan_, code, step, frame, cuts.front().box.name + kOnCpu)) out.line(fetch);
  out.close();
  const std::vector<Try> tries =
      device_tries(step, code, frame, kOnDevice, "pb_is_all ? " + in_parentheses(whole_copy_out_value(step)) + " : " + in_parentheses(shared_copy_out_value(step)));
  out.open("const auto pb_device = [&]");
  emit_any_of(out, tries, "return ", ";");
  out.close(";");
  out.open("const auto pb_rest = [&](pbrt::Frame& pb_task)");
  emit_on_cpu(out, step, code, "pb_task", boxes_ending(code, step, kOnCpu));
  out.close(";");
  out.line("pb_has_run = pb_is_all ? pb_device() : pbrt::gpu::run_shared(" + frame + ", pb_device, pb_rest);");
  // What a device that cannot leaves.
  for (const BoxCut& cut : cuts) out.line(cut.box.name + " = " + cut.box.name + kOnDevice + ";");
  out.close();
}

void StepDispatch::emit_count(Writer& out, StepId step_id, const std::string& frame) const {
  const Step& step = plan_.steps[step_id];
  if (is_decided(step.site))
    out.line("pb_context.count(" + frame + ", " + site_constant(context_, id_, step.site) + ", " +
             choice_value(step, Version::Cpu) + ");");
}

std::string StepDispatch::piece_call(StepId step, const std::string& frame) const {
  const RuleCode code(context_, id_, plan_.steps[step].rule);
  return cpu_call(step, code, frame, box_args(plan_, code, step, true), ", pbrt::kWholeBox");
}

std::string StepDispatch::cpu_call(StepId step, const RuleCode& code, const std::string& frame, const std::vector<std::string>& boxes,
                                   const std::string& pieces) const {
  std::vector<std::string> args = step_args(code, frame);
  args.insert(args.end(), boxes.begin(), boxes.end());
  return functions_.at({step, Version::Cpu}) + "(" + joined(args) + pieces + ");";
}

std::vector<StepDispatch::Try> StepDispatch::device_tries(StepId step_id, const RuleCode& code, const std::string& frame,
                                                          const std::string& boxes_end, const std::string& copy_out) const {
  const Step& step = plan_.steps[step_id];
  std::vector<Try> tries;
  std::vector<std::string> args = step_args(code, frame);
  for (std::string& box : boxes_ending(code, step_id, boxes_end)) args.push_back(std::move(box));
  for (const Version version : kDeviceVersions) {
    std::string chosen = is_chosen(step, {&version, 1});
    if (chosen.empty()) continue;
    if (chosen.find(" || ") != std::string::npos) chosen = "(" + chosen + ")";
    tries.push_back({"(" + chosen + " && " + functions_.at({step_id, version}) + "(" +
                         joined(args) + ",",
                     group_value(step, version) + ", " + copy_out + ", " +
                         site_constant(context_, id_, step.site) + ", " + choice_value(step, version) + "))"});
  }
  return tries;
}

}  // namespace pb
