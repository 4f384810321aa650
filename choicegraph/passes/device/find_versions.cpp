// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_versions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "choicegraph/passes/device/device_eligibility.h"
#include "choicegraph/plan/launch_scans.h"
#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launch_waves.h"

namespace pb::choices {
namespace {

/// Why the step has no device version because its instances or its outputs are no boxes; none if they are. Kernels run
/// over boxes of instances, and what they write comes back in boxes.
std::optional<WhyNotDevice> why_no_boxes(const Analysis& analysis, const Rule& rule, const Step& step) {
  for (const RegionAccess& output : rule.outputs)
    if (is_scattered(analysis.plan, output.matrix))
      return WhyNotDevice{"`" + analysis.matrix(output.matrix).name + "` is cut into parts that are no boxes",
                          output.span};
  if (!is_box(step)) return WhyNotDevice{"its instances are no box", rule.span};
  return std::nullopt;
}

/// Whether a nest of several steps has this one.
bool needs_others(const TransformPlan& plan, StepId id) {
  return std::any_of(plan.nests.begin(), plan.nests.end(),
                     [&](const Nest& nest) { return nest.members.size() > 1 && has_member(nest, id); });
}

LaunchForm form_of_launch(const TransformPlan& plan, StepId id) {
  if (launch_nest(plan, id) != nullptr) return LaunchForm::Slices;
  if (scan_of_launch(plan, id) != nullptr) return LaunchForm::Scan;
  return wave_of_launch(plan, id).empty() ? LaunchForm::Instances : LaunchForm::Wave;
}

/// Versions that all steps of the alternative have.
void find_versions_of(const Analysis& analysis, SiteId site, Alternative& alternative) {
  bool has_steps = false;
  for (const StepId id : analysis.plan.steps.ids()) {
    const Step& step = analysis.plan.steps[id];
    if (step.site != site || !runs(analysis.plan, alternative, step)) continue;
    const Rule& rule = analysis.rule(step.rule);
    has_steps = true;
    if (!alternative.why_not_device) alternative.why_not_device = why_no_boxes(analysis, rule, step);
    const LaunchForm form = form_of_launch(analysis.plan, id);
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

/// Drops slices for devices of steps that have no device version.
void drop_unused_slices(TransformPlan& plan) {
  const auto runs_in_tiles = [&](StepId step) {
    return std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) {
      return nest.rows.front().kind != RowKind::Slices && has_member(nest, step);
    });
  };
  std::vector<Nest> kept;
  for (const Nest& nest : plan.nests) {
    const bool is_for_devices = nest.members.size() == 1 && nest.rows.front().kind == RowKind::Slices &&
                                runs_in_tiles(nest.members.front().step);
    if (!is_for_devices || has_launches(plan, nest)) kept.push_back(nest);
  }
  plan.nests = std::move(kept);
}

}  // namespace

void find_versions(Analysis& analysis) {
  for (const SiteId id : analysis.plan.sites.ids())
    for (Alternative& alternative : analysis.plan.sites[id].alternatives) find_versions_of(analysis, id, alternative);
  drop_unused_slices(analysis.plan);
}

}  // namespace pb::choices
