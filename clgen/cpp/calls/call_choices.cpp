// SPDX-License-Identifier: MIT
#include "clgen/cpp/calls/call_choices.h"

#include <algorithm>

#include "clgen/cpp/context/condition_code.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Returns the choice of a site for `pb_n`: from the configuration, or by the levels that were compiled in.
std::string selected(const CallContext& call, SiteId id) {
  const Site& site = call.plan.sites[id];
  if (site.fixed.empty()) return "pb_context.select(" + site_constant(call.context, call.id, id) + ", pb_n)";
  std::string out;
  for (std::size_t i = site.fixed.size(); i-- > 0;) {
    const FixedLevel& level = site.fixed[i];
    if (i > 0) out += "pb_n >= " + std::to_string(level.from) + " ? ";
    out += std::to_string(choice_index(site, site.alternatives[level.alternative], level.version));
    if (i > 0) out += " : ";
  }
  return out;
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
  for (const SiteId id : call.plan.sites.ids()) {
    const Site& site = call.plan.sites[id];
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
    out.line((has_device ? "int " : "const int ") + name + " = " + selected(call, id) + ";");
    emit_counts_elsewhere(out, call, id);
    if (!has_device) continue;
    out.line("static constexpr int kOnCpu_" + std::to_string(id.index()) + "[] = {" + joined(on_cpu) + "};");
    out.line("if (" + call.frame + ".is_sequential()) " + name + " = pb_context.below_cutoff(" + call.frame + ", " +
             site_constant(call.context, call.id, id) + ", " + name + ", kOnCpu_" + std::to_string(id.index()) + "[" +
             name + "], " + largest_extent(call.transform) + ");");
  }
}

}  // namespace pb
