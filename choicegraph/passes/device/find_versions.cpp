// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_versions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "choicegraph/passes/device/device_eligibility.h"
#include "choicegraph/plan/launch_scans.h"
#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launch_waves.h"
#include "choicegraph/plan/launches/interleaved_steps.h"

namespace pb::choices {
namespace {

/// Why the step has no device version because another one accesses cells between those that it writes; none if none
/// does. Then the two run one after the other, and only a plan with an order for every choice says which one comes
/// first.
std::optional<WhyNotDevice> why_not_between_others(const Analysis& analysis, const Rule& rule, StepId step) {
  if (is_ordered(analysis.plan) || !is_interleaved(analysis.transform, analysis.plan, step)) return std::nullopt;
  const auto scattered = std::find_if(rule.outputs.begin(), rule.outputs.end(), [&](const RegionAccess& output) {
    return is_scattered(analysis.plan, output.matrix);
  });
  const RegionAccess& output = scattered == rule.outputs.end() ? rule.outputs.front() : *scattered;
  return WhyNotDevice{"other rules access cells of `" + analysis.matrix(output.matrix).name +
                          "` between its own, and which of them comes first depends on choices",
                      output.span};
}

/// Why the step, which is no slice, has no device version because of versions; none if it has one. Of a matrix of which
/// some versions have memory, a launch gets a box.
std::optional<WhyNotDevice> why_no_part(const Analysis& analysis, const Rule& rule, const Step& step) {
  if (is_box(step)) return std::nullopt;
  for (const RegionAccess& output : rule.outputs)
    if (nest_of_versions(analysis.plan, output.matrix) != nullptr)
      return WhyNotDevice{
          "its instances are no box, and not all versions of `" + analysis.matrix(output.matrix).name + "` have memory",
          output.span};
  return std::nullopt;
}

/// Whether a nest of several steps has this one.
bool needs_others(const TransformPlan& plan, StepId id) {
  return std::any_of(plan.nests.begin(), plan.nests.end(),
                     [&](const Nest& nest) { return nest.members.size() > 1 && has_member(nest, id); });
}

LaunchForm form_of_launch(const TransformPlan& plan, StepId id, bool has_company) {
  if (launch_nest(plan, id) != nullptr) return LaunchForm::Slices;
  if (scan_of_launch(plan, id) != nullptr) return LaunchForm::Scan;
  if (!wave_of_launch(plan, id).empty()) return LaunchForm::Wave;
  return has_company && plan.steps[id].loops.empty() ? LaunchForm::Single : LaunchForm::Instances;
}

/// Versions that all steps of the alternative have. `has_company`: other steps have device versions.
void find_versions_of(const Analysis& analysis, SiteId site, Alternative& alternative, bool has_company) {
  bool has_steps = false;
  for (const StepId id : analysis.plan.steps.ids()) {
    const Step& step = analysis.plan.steps[id];
    if (step.site != site || !runs(analysis.plan, alternative, step)) continue;
    const Rule& rule = analysis.rule(step.rule);
    has_steps = true;
    if (!alternative.why_not_device) alternative.why_not_device = why_not_between_others(analysis, rule, id);
    const LaunchForm form = form_of_launch(analysis.plan, id, has_company);
    if (!alternative.why_not_device && form != LaunchForm::Slices)
      alternative.why_not_device = why_no_part(analysis, rule, step);
    const DeviceEligibility found = check_device_eligibility(analysis.program, analysis.transform, rule,
                                                             analysis.plan.computations[step.rule.index()],
                                                             step_of_launch(analysis.plan, id), form);
    if (!alternative.why_not_device) alternative.why_not_device = found.why_not_device;
    if (!alternative.why_not_device && form != LaunchForm::Slices && needs_others(analysis.plan, id))
      alternative.why_not_device = WhyNotDevice{"it needs other rules that need it", rule.span};
    if (!alternative.why_not_local_memory) alternative.why_not_local_memory = found.why_not_local_memory;
  }
  if (!has_steps)
    alternative.why_not_device = WhyNotDevice{"its instances belong to another part of the output",
                                              analysis.rule(alternative.rules.front()).span};
  if (alternative.why_not_device) {
    alternative.why_not_local_memory.reset();
    return;
  }
  alternative.versions.push_back(Version::OpenCl);
  if (!alternative.why_not_local_memory) alternative.versions.push_back(Version::OpenClLocal);
}

void find_versions_of_single_instances(Analysis& analysis) {
  for (const SiteId id : analysis.plan.sites.ids())
    for (Alternative& alternative : analysis.plan.sites[id].alternatives) {
      if (alternative.versions.size() > 1) continue;
      alternative.why_not_device.reset();
      find_versions_of(analysis, id, alternative, true);
    }
}

/// Drops slices for devices of steps that have no device version.
void drop_unused_slices(TransformPlan& plan) {
  const auto runs_in_tiles = [&](StepId step) {
    return std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) {
      return nest.rows.front().kind != RowKind::Slices && has_member(nest, step);
    });
  };
  std::vector<Nest> kept;
  for (const Nest& nest : plan.nests) {
    const bool is_beside_tiles = nest.members.size() == 1 && nest.rows.front().kind == RowKind::Slices &&
                                 runs_in_tiles(nest.members.front().step);
    if ((!is_beside_tiles && !is_for_devices(nest)) || has_launches(plan, nest)) kept.push_back(nest);
  }
  plan.nests = std::move(kept);
}

}  // namespace

void find_versions(Analysis& analysis) {
  bool has_launches = false;
  for (const SiteId id : analysis.plan.sites.ids())
    for (Alternative& alternative : analysis.plan.sites[id].alternatives) {
      find_versions_of(analysis, id, alternative, false);
      has_launches = has_launches || alternative.versions.size() > 1;
    }
  // A single instance is no work for a device, but a copy between two launches costs more than one.
  if (has_launches) find_versions_of_single_instances(analysis);
  drop_unused_slices(analysis.plan);
}

}  // namespace pb::choices
