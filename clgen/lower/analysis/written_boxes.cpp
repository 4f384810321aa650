// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/written_boxes.h"

#include <algorithm>
namespace pb {
namespace {

/// Whether the box has all cells of the matrix.
bool is_all_of(const BoxBounds& box, const Matrix& matrix) {
  for (std::size_t d = 0; d < box.size(); ++d)
    if (!is_all_of(box[d], matrix.extents[d])) return false;
  return true;
}

}  // namespace

std::vector<std::optional<BoxBounds>> written_boxes(const TransformPlan& plan, const RuleShape& rule, const Step& step,
                                                    MatrixId id) {
  if (is_scattered(plan, id)) return {std::nullopt};
  std::vector<std::optional<BoxBounds>> boxes;
  for (const SegmentId segment_id : step.segments) {
    const Segment& segment = plan.segments[segment_id];
    if (segment.matrix != id) continue;
    const bool is_whole = !step.device_share && is_all_of(segment.box, rule.matrix(id));
    boxes.push_back(is_whole ? std::nullopt : std::optional(segment.box));
  }
  return boxes;
}

bool writes_its_instances(const TransformPlan& plan, const RuleShape& rule, const Step& step) {
  const BoxBounds instances = instance_box(step);
  return std::all_of(rule.matrices.begin(), rule.matrices.end(), [&](const RuleMatrix& use) {
    if (!use.is_output || !use.is_touched) return true;
    const auto boxes = written_boxes(plan, rule, step, use.matrix);
    return std::all_of(boxes.begin(), boxes.end(), [&](const auto& box) { return !box || *box == instances; });
  });
}

}  // namespace pb
