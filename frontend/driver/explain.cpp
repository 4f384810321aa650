// SPDX-License-Identifier: MIT
#include "frontend/driver/explain.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "choicegraph/plan/launch_scans.h"
#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launch_waves.h"
#include "choicegraph/plan/launches/tiled_steps.h"
#include "choicegraph/plan/launches/time_tiles.h"
#include "choicegraph/plan/loops/version_bands.h"
#include "choicegraph/plan/task_loops.h"
#include "clgen/facts/round_blocks.h"
#include "clgen/lower/launches/version_launch.h"

namespace pb {
namespace {

std::string place_text(Span span, const SourceManager& sources) {
  if (!span.is_known()) return "";
  const Position position = sources.begin_of(span);
  return std::string(position.file) + ":" + std::to_string(position.line);
}

std::string source_line(Span span, const SourceManager& sources) {
  if (!span.is_known()) return "";
  std::string_view line = sources.text(sources.line_span(span.file, span.begin));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line);
}

void add_reason(std::string& out, std::string_view version, const WhyNotDevice& why, const SourceManager& sources) {
  out += "      no `" + std::string(version) + "`: " + why.reason + "\n";
  if (!why.span.is_known()) return;
  out += "        " + place_text(why.span, sources) + ": " + source_line(why.span, sources) + "\n";
}

/// The alternative of `rule` wherever it is one; rules that are never chosen have none.
const Alternative* find_alternative(const TransformPlan& plan, RuleId rule) {
  for (const Site& site : plan.sites) {
    for (const Alternative& alternative : site.alternatives) {
      if (std::find(alternative.rules.begin(), alternative.rules.end(), rule) != alternative.rules.end())
        return &alternative;
    }
  }
  return nullptr;
}

/// The rules that displace `rule`, and where.
std::string displaced_text(const Transform& transform, RuleId rule, const TransformPlan& plan) {
  std::string out;
  for (const Displacement& each : plan.displaced)
    if (each.rule == rule)
      out += (out.empty() ? "`" : ", `") + transform.rules[each.by].name + "` in versions of `" +
             transform.matrices[each.matrix].name + "` that it names";
  return out;
}

bool is_left_out(const TransformPlan& plan, RuleId rule) {
  return std::find(plan.left_out.begin(), plan.left_out.end(), rule) != plan.left_out.end();
}

/// Why no site has the rule among its alternatives.
std::string why_never_chosen(const Transform& transform, RuleId id, const TransformPlan& plan) {
  const Rule& rule = transform.rules[id];
  const auto is_temporary = [&](const RegionAccess& access) {
    return transform.matrices[access.matrix].role == MatrixRole::Through;
  };
  const auto is_idle = [&](const RegionAccess& access) {
    return is_temporary(access) &&
           std::none_of(plan.segments.begin(), plan.segments.end(),
                        [&](const Segment& segment) { return segment.matrix == access.matrix; });
  };
  if (std::all_of(rule.outputs.begin(), rule.outputs.end(), is_idle)) return "no result needs what it writes";
  if (const std::string by = displaced_text(transform, id, plan); !by.empty()) return "displaced by " + by;
  if (is_left_out(plan, id)) return "it reads what no rule makes, and no result needs what it writes";
  const bool may_be_idle = std::all_of(rule.outputs.begin(), rule.outputs.end(), is_temporary);
  return std::string("rules of higher priority produce all of its cells") +
         (may_be_idle ? ", or no result needs them" : "");
}

/// Which loops of the rule became its variables, or why its outermost loop did not.
void explain_lifted(std::string& out, const LiftedLoops& lifted, const SourceManager& sources) {
  const std::string place = place_text(lifted.span, sources);
  if (lifted.vars.empty()) {
    out += "      no instance per round: " + lifted.reason + "\n        " + place + ": " +
           source_line(lifted.span, sources) + "\n";
    return;
  }
  out += "      an instance for each round of the loop" + std::string(lifted.vars.size() > 1 ? "s" : "") + " over ";
  for (std::size_t i = 0; i < lifted.vars.size(); ++i) out += (i > 0 ? ", `" : "`") + lifted.vars[i] + "`";
  out += " (" + place + ")\n";
}

/// What became of the calls of the rule's body.
void explain_spliced(std::string& out, const Program& program, const SplicedCalls& spliced,
                     const SourceManager& sources) {
  const std::string& rule = program.transforms[spliced.caller].rules[spliced.rule].name;
  if (spliced.made) {
    out += "      its calls may run as one transform, `" + program.transforms[*spliced.made].name + "`, where `" +
           rule + "[spliced]` is chosen\n";
    return;
  }
  out += "      the calls of this body are not spliced: " + spliced.reason + "\n        " +
         place_text(spliced.span, sources) + ": " + source_line(spliced.span, sources) + "\n";
}

/// What a map stores and adds up.
std::string map_text(const Rule& rule, const MapLoop& map, const std::string& place) {
  std::string out = "      map over `" + map.loop.var + "` (" + place + "): cells of";
  const char* separator = " `";
  for (const std::string& name : regions_of(rule, map).stored) {
    out += separator + name + "`";
    separator = ", `";
  }
  for (const Accumulator& each : map.loop.accumulators) out += "; " + to_words(each);
  return out;
}

/// What a loop stores and updates at computed places.
std::string scatter_text(const Rule& rule, const ScatterLoop& loop, const std::string& place) {
  std::string out =
      (loop.stores.empty() ? "      bins over `" : "      scatter over `") + loop.loop.var + "` (" + place + "):";
  const char* separator = " ";
  for (const std::string& name : stored_by(rule, loop)) {
    out += separator + ("cells of `" + name) + "`";
    separator = "; ";
  }
  for (const std::vector<Accumulator>* list : {&loop.bins, &loop.loop.accumulators})
    for (const Accumulator& each : *list) {
      const auto number = static_cast<std::size_t>(&each - list->data());
      const bool is_running = list == &loop.loop.accumulators && number < loop.num_running;
      out += separator + (is_running ? "running place `" + each.name + "`" : to_words(each));
      separator = "; ";
    }
  return out;
}

/// Whether tasks may divide a loop.
std::string task_text(const std::vector<TaskLoop>& divided, StmtId loop) {
  const auto is_it = [&](const TaskLoop& each) { return each.loop == loop; };
  return std::any_of(divided.begin(), divided.end(), is_it) ? "; tasks may divide it" : "";
}

/// Whether work-items of a device may divide a loop that updates or stores cells at computed places.
std::string device_text(const Computation& computation, StmtId loop) {
  const auto is_it = [&](const Phase& phase) { return phase.kind == PhaseKind::Divided && phase.stmt == loop; };
  return std::any_of(computation.phases.begin(), computation.phases.end(), is_it) ? "; work-items may divide it" : "";
}

/// What the loops of a rule's body compute.
void explain_folds(std::string& out, const Rule& rule, const Computation& computation, const SourceManager& sources) {
  const std::vector<TaskLoop> divided = find_task_loops(rule, computation);
  for (const Fold& fold : computation.folds) {
    out += "      fold over `" + fold.var + "` (" + place_text(rule.body.stmts[fold.loop].span, sources) + "):";
    for (std::size_t i = 0; i < fold.accumulators.size(); ++i)
      out += (i == 0 ? " " : "; ") + to_words(fold.accumulators[i]);
    if (!fold.may_regroup()) out += "; only in the order of the source";
    out += task_text(divided, fold.loop) + "\n";
  }
  for (const WhyNotFold& other : computation.others) {
    if (const ScatterLoop* loop = computation.find_scatter(other.loop)) {
      out += scatter_text(rule, *loop, place_text(rule.body.stmts[other.loop].span, sources)) +
             task_text(divided, other.loop) + device_text(computation, other.loop) + "\n";
      continue;
    }
    if (const MapLoop* map = computation.find_map(other.loop)) {
      out += map_text(rule, *map, place_text(rule.body.stmts[other.loop].span, sources)) +
             task_text(divided, other.loop) + "\n";
      continue;
    }
    out += "      no fold (" + place_text(rule.body.stmts[other.loop].span, sources) + "): " + other.reason + "\n";
    if (!other.span.is_known()) continue;
    out += "        " + place_text(other.span, sources) + ": " + source_line(other.span, sources) + "\n";
  }
}

/// Whether a rule that reads its own output is a scan.
void explain_scan(std::string& out, const Transform& transform, const Rule& rule, const Computation& computation,
                  const SourceManager& sources) {
  if (const std::optional<Scan>& scan = computation.scan) {
    out += "      scan over `" + scan->var + "`" + (scan->is_backward ? ", downwards" : "") + ":";
    const char* separator = " ";
    for (const ScannedValue& value : scan->values) {
      out += separator + std::string(to_words(value.op)) + " in `" +
             transform.matrices[rule.outputs[value.output].matrix].name + "`";
      separator = "; ";
    }
    out += (scan->is_free ? "" : "; only in the order of the source") + std::string("\n");
  }
  if (!computation.why_not_scan) return;
  const WhyNotScan& why = *computation.why_not_scan;
  out += "      no scan: " + why.reason + "\n        " + place_text(why.span, sources) + ": " +
         source_line(why.span, sources) + "\n";
}

/// Says how a device runs steps of the rule whose instances depend on one another.
void explain_slices(std::string& out, const TransformPlan& plan, RuleId id) {
  for (const StepId step : plan.steps.ids()) {
    if (plan.steps[step].rule == id && scan_of_launch(plan, step) != nullptr) {
      out += "      on a device: one launch scans all lines, which the CPU has no share of\n";
      return;
    }
    if (plan.steps[step].rule == id && !wave_of_launch(plan, step).empty()) {
      out += "      on a device: a launch per anti-diagonal of blocks, which the CPU has no share of\n";
      return;
    }
    if (plan.steps[step].rule != id || launch_nest(plan, step) == nullptr) continue;
    const std::string var = slice_variable(plan, step);
    out += "      on a device: a launch per slice" + (var.empty() ? "" : " along `" + var + "`") +
           ", which the CPU has no share of\n";
    return;
  }
}

/// Says how many versions of a temporary have memory, and how many a launch makes.
void explain_versions(std::string& out, const Program& program, const TransformPlan& plan, MatrixId matrix) {
  const Transform& transform = program.transforms[plan.transform];
  out += "  versions of " + transform.name + "." + transform.matrices[matrix].name + ": two at a time have memory" +
         (is_in_place(plan, matrix) ? ", on the CPU one takes the place of the one before\n" : "\n");
  const Nest* nest = nest_of_versions(plan, matrix);
  if (nest == nullptr) return;
  const VersionBands bands = find_version_bands(transform, plan, *nest);
  const auto rows = std::find_if(plan.tunables.begin(), plan.tunables.end(), [&](const PlanTunable& each) {
    return each.role == TunableRole::TimeRows && bands.why_not.empty() && each.rule == plan.steps[bands.main].rule;
  });
  out += rows != plan.tunables.end() ? "    on the CPU: several at a time, in bands of as many rows as `" + rows->name +
                                           "` says" + (bands.is_folded ? ", from both edges to the middle\n" : "\n")
                                     : "    on the CPU: one after the other, because " + bands.why_not + "\n";
  if (!has_launches(plan, *nest)) return;
  const VersionSteps found = find_version_steps(transform, plan, *nest);
  const auto tunable = std::find_if(plan.tunables.begin(), plan.tunables.end(), [&](const PlanTunable& each) {
    return each.role == TunableRole::TimeTile && !found.steps.empty() && each.rule == plan.steps[found.main].rule;
  });
  out += tunable != plan.tunables.end()
             ? "    on a device: a launch makes as many as `" + tunable->name + "` says\n"
             : "    on a device: a launch makes one, because " +
                   why_no_time_tile(program, plan, static_cast<std::size_t>(nest - plan.nests.data())) + "\n";
}

/// Which temporaries the work-groups of a device, or tasks of the CPU, may compute instead of reading them, and why
/// they may not compute others.
void explain_tiles(std::string& out, const Transform& transform, const TransformPlan& plan, RuleId id, TileKind kind) {
  const bool in_bands = kind == TileKind::Bands;
  const std::string who = in_bands ? "tasks" : "work-groups";
  for (const StepId step : plan.steps.ids()) {
    if (plan.steps[step].rule != id) continue;
    const TiledSteps found = find_tiled_steps(transform, plan, step, kind);
    if (found.matrices.empty() && found.why_not.empty()) continue;
    const auto tunable = std::find_if(plan.tunables.begin(), plan.tunables.end(), [&](const PlanTunable& each) {
      return each.role == (in_bands ? TunableRole::Bands : TunableRole::PerTile) && each.rule == id;
    });
    if (!found.matrices.empty() && tunable != plan.tunables.end()) {
      out += "      " + who + " may compute";
      const char* separator = " ";
      for (const TiledMatrix& tiled : found.matrices) {
        out += separator + ("`" + transform.matrices[tiled.matrix].name + "`");
        separator = " and ";
      }
      out += std::string(in_bands ? " in bands of rows" : "") + ", where `" + tunable->name + "` says so\n";
    }
    if (!found.why_not.empty()) out += "      " + who + " read a stored temporary: " + found.why_not + "\n";
    return;
  }
}

/// Which cells the work-items of a device keep while they run an instance.
void explain_kept(std::string& out, const Rule& rule, const Computation& computation) {
  if (!computation.kept.any()) return;
  out += "      work-items keep cells of";
  const char* separator = " ";
  for (const KeptRegion& region : computation.kept.regions) {
    out += separator + ("`" + (region.is_output ? rule.outputs : rule.inputs)[region.index].binding + "`");
    separator = " and ";
  }
  out += " between loops, where `" + computation.kept.length + "` is small enough\n";
}

/// Which inputs work-groups of a device copy where they run the rule's fold in blocks of rounds.
void explain_blocks(std::string& out, const Program& program, const TransformPlan& plan, RuleId id) {
  for (const Step& step : plan.steps) {
    const auto blocks = step.rule == id ? find_round_blocks(program, plan, step) : std::nullopt;
    if (!blocks) continue;
    out += "      work-groups may run the fold over `" + blocks->fold.var + "` in blocks, with copies of";
    const char* separator = " ";
    for (const BlockInput& input : blocks->inputs) {
      out += separator + ("`" + program.transforms[plan.transform].rules[id].inputs[input.input].binding + "`");
      separator = " and ";
    }
    const bool has_parts = std::any_of(plan.tunables.begin(), plan.tunables.end(), [&](const PlanTunable& tunable) {
      return tunable.role == TunableRole::BlockParts && tunable.rule == id;
    });
    out += has_parts ? "; several groups may run a range of its rounds each\n" : "\n";
    return;
  }
}

/// Which long loops of an instance the work-items of a device do not divide among each other.
void explain_undivided(std::string& out, const Computation& computation, const SourceManager& sources) {
  for (const WhyNotFold& each : computation.undivided) {
    out += "      not divided among work-items (" + place_text(each.span, sources) + "): " + each.reason + "\n";
    out += "        " + place_text(each.span, sources) + ": " + source_line(each.span, sources) + "\n";
  }
}

/// Which forms of its loops a configuration that was compiled in has changed.
void explain_loop_forms(std::string& out, RuleId rule, const TransformPlan& plan) {
  for (const PlanTunable& tunable : plan.tunables) {
    if (tunable.rule != rule || !is_of_loop_forms(tunable.role)) continue;
    if (tunable.fixed.empty() || tunable.fixed == tunable.initial) continue;
    out += "      " + std::string(to_string(tunable.role)) + " " + std::to_string(std::llround(tunable.fixed.front())) +
           ", by default " + std::to_string(std::llround(tunable.initial.front())) + "\n";
  }
}

void explain_rule(std::string& out, const Program& program, RuleId id, const TransformPlan& plan,
                  const BodyChanges& changes, const SourceManager& sources) {
  const Transform& transform = program.transforms[plan.transform];
  const Rule& rule = transform.rules[id];
  out += "  " + transform.name + "." + rule.name + " (" + place_text(rule.span, sources) + "): ";
  const Alternative* alternative = find_alternative(plan, id);
  if (!alternative) {
    out += "never chosen: " + why_never_chosen(transform, id, plan) + "\n";
    return;
  }
  bool is_first = true;
  for (const Version version : alternative->versions) {
    out += (is_first ? "" : ", ") + std::string(to_string(version));
    is_first = false;
  }
  out += "\n";
  if (const std::string by = displaced_text(transform, id, plan); !by.empty()) out += "      displaced by " + by + "\n";
  if (is_left_out(plan, id))
    out += "      instances that read what no rule makes do not run: no result needs what they write\n";
  const Computation& computation = computation_of(plan, id);
  for (const LiftedLoops& each : changes.lifted)
    if (each.transform == plan.transform && each.rule == id) explain_lifted(out, each, sources);
  for (const SplicedCalls& each : changes.spliced)
    if (each.caller == plan.transform && each.rule == id) explain_spliced(out, program, each, sources);
  explain_folds(out, rule, computation, sources);
  explain_scan(out, transform, rule, computation, sources);
  explain_loop_forms(out, id, plan);
  explain_tiles(out, transform, plan, id, TileKind::Bands);
  const std::vector<Version>& versions = alternative->versions;
  const bool has_device_version = std::find(versions.begin(), versions.end(), Version::OpenCl) != versions.end();
  if (has_device_version) {
    explain_slices(out, plan, id);
    explain_kept(out, rule, computation);
    explain_tiles(out, transform, plan, id, TileKind::WorkGroups);
    explain_blocks(out, program, plan, id);
  }
  if (has_device_version || !computation.scatters.empty()) explain_undivided(out, computation, sources);
  if (rule.is_spliced) return;  // its devices are those of the transform that it calls
  if (alternative->why_not_device) add_reason(out, "opencl", *alternative->why_not_device, sources);
  if (alternative->why_not_local_memory) add_reason(out, "opencl_local", *alternative->why_not_local_memory, sources);
}

void explain_sites(std::string& out, const Transform& transform, const TransformPlan& plan) {
  for (const Site& site : plan.sites) {
    std::size_t num_choices = 0;
    for (const Alternative& alternative : site.alternatives) num_choices += alternative.versions.size();
    if (num_choices < 2) continue;
    out += "  choice " + transform.name + "." + site.name + ": " + std::to_string(num_choices) + " ways\n";
  }
}

}  // namespace

std::string explain(const Program& program, const Plan& plan, const BodyChanges& changes,
                    const SourceManager& sources) {
  std::string out;
  for (const TransformId id : program.transforms.ids()) {
    const Transform& transform = program.transforms[id];
    const TransformPlan& transform_plan = plan.transforms.at(id.index());
    if (!out.empty()) out += "\n";
    out += "transform " + transform.name + " (" + place_text(transform.span, sources) + ")\n";
    for (const RuleId rule : transform.rules.ids()) explain_rule(out, program, rule, transform_plan, changes, sources);
    for (const MatrixId matrix : transform_plan.two_versions) explain_versions(out, program, transform_plan, matrix);
    for (const WholeVersions& each : transform_plan.whole_versions)
      out += "  versions of " + transform.name + "." + transform.matrices[each.matrix].name +
             ": all have memory, because " + each.why + "\n";
    explain_sites(out, transform, transform_plan);
  }
  return out;
}

}  // namespace pb
