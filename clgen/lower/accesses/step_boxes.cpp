// SPDX-License-Identifier: MIT
#include "clgen/lower/accesses/step_boxes.h"

#include <algorithm>

#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/lower/analysis/written_boxes.h"

namespace pb {

bool takes_boxes(const TransformPlan& plan, StepId step) {
  return !plan.steps[step].loops.empty() && own_nest(plan, step) == nullptr;
}

std::vector<StepBox> step_boxes(const TransformPlan& plan, const RuleShape& rule, StepId step_id) {
  const Step& step = plan.steps[step_id];
  std::vector<StepBox> boxes;
  if (!step.loops.empty()) boxes.push_back({"pb_box", step.loops.size(), instance_box(step)});
  // Only devices need to know which parts are written.
  if (!rule.has_kernels) return boxes;
  for (const RuleMatrix& use : rule.matrices) {
    if (!use.is_output || !use.is_touched) continue;
    for (const std::optional<BoxBounds>& box : written_boxes(plan, rule, step, use.matrix)) {
      const auto is_it = [&](const StepBox& other) { return other.bounds == *box; };
      if (!box || std::any_of(boxes.begin(), boxes.end(), is_it)) continue;
      boxes.push_back({"pb_part" + std::to_string(boxes.size()), box->size(), *box});
    }
  }
  return boxes;
}

std::vector<BoxCut> cuts_of(const TransformPlan& plan, const RuleShape& rule, StepId step_id) {
  const Step& step = plan.steps[step_id];
  if (!step.device_share || !takes_boxes(plan, step_id)) return {};
  const std::vector<StepBox> boxes = step_boxes(plan, rule, step_id);
  std::vector<BoxCut> cuts{{boxes.front(), step.loops.size() - 1 - step.device_share->loop}};
  for (std::size_t i = 0; i < rule.rule.outputs.size(); ++i) {
    const MatrixId id = rule.rule.outputs[i].matrix;
    const auto use =
        std::find_if(rule.matrices.begin(), rule.matrices.end(), [&](const RuleMatrix& m) { return m.matrix == id; });
    // A matrix that keeps earlier values goes to the device as a whole.
    if (use == rule.matrices.end() || !use->is_touched || !use->is_overwritten) return {};
    const std::optional<BoxBounds> written = written_boxes(plan, rule, step, id).front();
    const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const StepBox& b) { return b.bounds == written; });
    // Where no step has a kernel, no box says what is written, and nothing is shared.
    if (box == boxes.end()) return {};
    const auto known =
        std::find_if(cuts.begin(), cuts.end(), [&](const BoxCut& cut) { return cut.box.name == box->name; });
    if (known == cuts.end())
      cuts.push_back({*box, step.device_share->dims[i]});
    else if (known->dim != step.device_share->dims[i])
      return {};
  }
  return cuts;
}

}  // namespace pb
