// SPDX-License-Identifier: MIT
#include "clgen/cpp/calls/call_choices.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/context/tunable_code.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Whether a level of a site's selector may test one of the size variables. A single one is the largest size.
bool has_sizes(const CallContext& call) { return call.transform.size_vars.size() > 1; }

/// Returns what decides which level of a selector counts: all sizes of the call, or the only one.
std::string size_argument(const CallContext& call) { return has_sizes(call) ? "pb_sizes" : "pb_n"; }

bool has_schedules(const CallContext& call, SiteId id) {
  return std::any_of(call.plan.tunables.begin(), call.plan.tunables.end(),
                     [&](const PlanTunable& tunable) { return schedule_site(call.plan, tunable) == id; });
}

/// Returns a `?:` chain over the levels of a site that was fixed when compiling. `value` says what a level stands for.
std::string fixed_chain(const CallContext& call, SiteId id,
                        const std::function<std::string(const FixedLevel&)>& value) {
  const std::vector<FixedLevel>& levels = call.plan.sites[id].fixed;
  const std::string base = value(levels.front());
  if (std::all_of(levels.begin(), levels.end(), [&](const FixedLevel& level) { return value(level) == base; }))
    return base;
  const std::vector<std::string> names = call.transform.size_names();
  std::string out;
  for (std::size_t i = levels.size(); i-- > 1;) {
    const int by = levels[i].by;
    out += (by == 0 ? "pb_n" : names[static_cast<std::size_t>(by) - 1]) + " >= " + std::to_string(levels[i].from) +
           " ? " + value(levels[i]) + " : ";
  }
  return out + base;
}

/// Returns the choice of a site: from the configuration, or by the levels that were compiled in.
std::string selected(const CallContext& call, SiteId id, const std::string& level) {
  const Site& site = call.plan.sites[id];
  if (!site.fixed.empty())
    return fixed_chain(call, id, [&](const FixedLevel& fixed) {
      return std::to_string(choice_index(site, site.alternatives[fixed.alternative], fixed.version));
    });
  const std::string number = site_constant(call.context, call.id, id);
  if (level.empty()) return "pb_context.select(" + number + ", " + size_argument(call) + ")";
  return "pb_context.config().alternative(" + number + ", " + level + ")";
}

/// Declares the schedule of a site that has some. Returns the name of the variable with its level; empty if there is
/// none.
std::string emit_schedule_of(Writer& out, const CallContext& call, SiteId id) {
  if (!has_schedules(call, id)) return {};
  if (!call.plan.sites[id].fixed.empty()) {
    const auto number = [](const FixedLevel& level) { return std::to_string(level.schedule); };
    out.declare("const int", schedule_name(id), fixed_chain(call, id, number));
    return {};
  }
  const std::string number = site_constant(call.context, call.id, id);
  const std::string level = "pb_level_" + std::to_string(id.index());
  out.declare("const int", level, "pb_context.config().level_at(" + number + ", " + size_argument(call) + ")");
  out.declare("const int", schedule_name(id), "pb_context.config().schedule(" + number + ", " + level + ")");
  return level;
}

/// Prints counts of the alternatives whose instances all belong to another site's step, which always runs.
void emit_counts_elsewhere(Writer& out, const CallContext& call, SiteId id) {
  const Site& site = call.plan.sites[id];
  for (const Alternative& alternative : site.alternatives) {
    const bool has_step = std::any_of(call.plan.steps.begin(), call.plan.steps.end(), [&](const Step& step) {
      return step.site == id && runs(call.plan, alternative, step);
    });
    if (has_step) continue;
    const std::string index = std::to_string(choice_index(site, alternative, Version::Cpu));
    out.line("if (" + choice_name(id) + " == " + index + ") pb_context.count(" + call.frame + ", " +
             site_constant(call.context, call.id, id) + ", " + index + ");");
  }
}

}  // namespace

void emit_choices(Writer& out, const CallContext& call) {
  const auto is_open = [](const Site& site) { return is_decision(site) && site.fixed.empty(); };
  if (has_sizes(call) && std::any_of(call.plan.sites.begin(), call.plan.sites.end(), is_open))
    out.line("const std::int64_t pb_sizes[] = {pb_n, " + joined(call.transform.size_names()) + "};");
  for (const SiteId id : call.plan.sites.ids()) {
    const Site& site = call.plan.sites[id];
    const std::string level = emit_schedule_of(out, call, id);
    if (!is_decision(site)) continue;
    const std::string name = choice_name(id);
    std::vector<std::string> on_cpu;
    bool has_device = false;
    for (const Alternative& alternative : site.alternatives) {
      for (const Version version : alternative.versions) {
        on_cpu.push_back(std::to_string(choice_index(site, alternative, Version::Cpu)));
        has_device = has_device || version != Version::Cpu;
      }
    }
    out.line((has_device ? "int " : "const int ") + name + " = " + selected(call, id, level) + ";");
    emit_counts_elsewhere(out, call, id);
    if (!has_device) continue;
    out.line("static constexpr int kOnCpu_" + std::to_string(id.index()) + "[] = {" + joined(on_cpu) + "};");
    out.line("if (" + call.frame + ".is_sequential()) " + name + " = pb_context.below_cutoff(" + call.frame + ", " +
             site_constant(call.context, call.id, id) + ", " + name + ", kOnCpu_" + std::to_string(id.index()) + "[" +
             name + "], " + largest_extent(call.transform) + ");");
  }
}

}  // namespace pb
