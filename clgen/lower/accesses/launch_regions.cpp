// SPDX-License-Identifier: MIT
#include "clgen/lower/accesses/launch_regions.h"

#include <algorithm>

#include "clgen/facts/names.h"
#include "clgen/lower/accesses/host_parts.h"

namespace pb {
namespace {

constexpr const char* kBox = "pb_box";

LaunchRegion launch_region(const TransformPlan& plan, const RuleShape& rule, StepId step, const RuleMatrix& use) {
  LaunchRegion out{use.matrix};
  if (use.is_input && !plan.steps[step].loops.empty() && (!use.is_output || use.is_overwritten))
    out.reads = read_box(plan.steps[step], rule, use.matrix, kBox);
  if (!use.is_output) {
    out.input = kernel_input(plan, plan.steps[step], rule, use.matrix);
    return out;
  }
  out.written = written_parts(plan, rule, step, use.matrix);
  const bool is_all = is_box(plan.steps[step]) && !is_scattered(plan, use.matrix);
  out.use =
      is_all && use.is_overwritten && !use.is_input && out.written.size() == 1 ? LaunchUse::Output : LaunchUse::InOut;
  // Of a matrix of versions, all of it has no memory.
  if (is_scattered(plan, use.matrix) && nest_of_versions(plan, use.matrix) != nullptr)
    if (const auto hull = written_hull(rule, plan.steps[step], use.matrix, kBox))
      out.written = {{rule.matrix(use.matrix).name, hull}};
  // A kernel may also write a matrix of which no cell is needed. Which part of it is written is not known.
  const bool has_boxes =
      std::all_of(out.written.begin(), out.written.end(), [](const MatrixPart& part) { return part.box.has_value(); });
  if (out.use == LaunchUse::InOut && !has_boxes) out.written.clear();
  // Of a matrix of versions only what is touched may have memory. Where the rule reads no cell but those that it
  // writes, the others are not copied, and another step may write them meanwhile.
  const bool has_versions = nest_of_versions(plan, use.matrix) != nullptr;
  out.is_part = out.use == LaunchUse::InOut && (has_versions || !use.is_input) && out.written.size() == 1;
  return out;
}

/// Of a matrix whose cells get new values before they are read, only what lies beside them is copied in.
LaunchRegion wave_region(const TransformPlan& plan, const RuleShape& rule, StepId step, const RuleMatrix& use) {
  LaunchRegion out = launch_region(plan, rule, step, use);
  const bool is_new = use.is_output && use.is_input && use.is_overwritten && out.written.size() == 1 &&
                      !is_scattered(plan, use.matrix) && fills_hull(rule, plan.steps[step], use.matrix);
  if (!is_new) return out;
  const bool is_all = !out.written.front().box;
  const auto read = is_all ? std::nullopt : read_box(plan.steps[step], rule, use.matrix, kBox);
  if (!is_all && !read) return out;
  out.use = LaunchUse::Output;
  out.is_part = false;
  out.reads.reset();
  out.read_part = read;
  return out;
}

/// Returns all of the matrix, as a box.
PartBox whole_box(const RuleShape& rule, MatrixId matrix) {
  PartBox out;
  for (std::size_t d = 0; d < rule.matrix(matrix).extents.size(); ++d)
    out.bounds.push_back({index_const(0), view_extent(rule.matrix(matrix), d)});
  return out;
}

/// Of a matrix that the kernel writes, only what this slice writes or reads is given: other parts may not be there yet.
LaunchRegion slice_region(const TransformPlan& plan, const RuleShape& rule, const Step& slice, const RuleMatrix& use,
                          const std::string& reading) {
  LaunchRegion out{use.matrix};
  if (!use.is_output) {
    const auto is_output = [&](const RegionAccess& output) { return output.matrix == use.matrix; };
    if (std::none_of(rule.rule.outputs.begin(), rule.rule.outputs.end(), is_output)) {
      out.input = kernel_input(plan, slice, rule, use.matrix);
      return out;
    }
    const std::optional<PartBox> read = read_box(slice, rule, use.matrix, reading);
    out.read_part = read ? *read : whole_box(rule, use.matrix);
    return out;
  }
  const std::optional<PartBox> written = written_hull(rule, slice, use.matrix, kBox);
  const bool is_all = written && use.is_overwritten && fills_hull(rule, slice, use.matrix);
  out.use = is_all ? LaunchUse::Output : LaunchUse::InOut;
  out.is_part = !is_all;
  out.written.push_back({rule.matrix(use.matrix).name, written ? *written : whole_box(rule, use.matrix)});
  return out;
}

}  // namespace

std::vector<LaunchRegion> launch_regions(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                         const std::vector<RuleMatrix>& matrices) {
  std::vector<LaunchRegion> out;
  for (const RuleMatrix& use : matrices) out.push_back(launch_region(plan, rule, step, use));
  return out;
}

std::vector<LaunchRegion> slice_regions(const TransformPlan& plan, const RuleShape& rule, const Step& slice,
                                        const std::vector<RuleMatrix>& matrices) {
  std::vector<LaunchRegion> out;
  for (const RuleMatrix& use : matrices) out.push_back(slice_region(plan, rule, slice, use, kBox));
  return out;
}

std::vector<LaunchRegion> scan_regions(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                       const std::vector<RuleMatrix>& matrices) {
  std::vector<LaunchRegion> out;
  for (const RuleMatrix& use : matrices)
    out.push_back(slice_region(plan, rule, plan.steps[step], use, kFirstInstances));
  return out;
}

std::vector<LaunchRegion> wave_regions(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                       const std::vector<RuleMatrix>& matrices) {
  std::vector<LaunchRegion> out;
  for (const RuleMatrix& use : matrices) out.push_back(wave_region(plan, rule, step, use));
  return out;
}

}  // namespace pb
