// SPDX-License-Identifier: MIT
#include "clgen/lower/accesses/launch_regions.h"

#include <algorithm>

#include "clgen/lower/accesses/host_parts.h"

namespace pb {
namespace {

LaunchRegion launch_region(const TransformPlan& plan, const RuleShape& rule, StepId step, const RuleMatrix& use) {
  LaunchRegion out{use.matrix};
  if (use.is_input && !plan.steps[step].loops.empty() && (!use.is_output || use.is_overwritten))
    out.reads = read_box(plan.steps[step], rule, use.matrix, "pb_box");
  if (!use.is_output) {
    out.input = kernel_input(plan.steps[step], rule, use.matrix);
    return out;
  }
  out.written = written_parts(plan, rule, step, use.matrix);
  out.use = use.is_overwritten && !use.is_input && out.written.size() == 1 ? LaunchUse::Output : LaunchUse::InOut;
  // A kernel may also write a matrix of which no cell is needed. Which part of it is written is not known.
  const bool has_boxes =
      std::all_of(out.written.begin(), out.written.end(), [](const MatrixPart& part) { return part.box.has_value(); });
  if (out.use == LaunchUse::InOut && !has_boxes) out.written.clear();
  return out;
}

}  // namespace

std::vector<LaunchRegion> launch_regions(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                         const std::vector<RuleMatrix>& matrices) {
  std::vector<LaunchRegion> out;
  for (const RuleMatrix& use : matrices) out.push_back(launch_region(plan, rule, step, use));
  return out;
}

}  // namespace pb
