// SPDX-License-Identifier: MIT
// The boxes that the functions of a step work on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/box_bounds.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

/// A box that a step function works on: `pb_box`, the box of its instances, or a box that it writes, if that is another
/// one.
struct StepBox {
  std::string name;  ///< of the variable that holds it
  std::size_t num_dims = 0;
  BoxBounds bounds;  ///< empty where the caller gives the box

  bool operator==(const StepBox&) const = default;
};
[[nodiscard]] std::vector<StepBox> step_boxes(const TransformPlan& plan, const RuleShape& rule, StepId step);

/// Whether the step function gets its boxes from the caller. Steps of one rule can then share a function if they differ
/// only in their boxes.
[[nodiscard]] bool takes_boxes(const TransformPlan& plan, StepId step);

/// Endings of the names of the two parts that a box is cut in.
inline constexpr const char* kOnDevice = "_on_device";
inline constexpr const char* kOnCpu = "_on_cpu";

/// A box of a step that the CPU and a device may share, and the dimension along which it is cut in two parts.
struct BoxCut {
  StepBox box;
  std::size_t dim = 0;

  bool operator==(const BoxCut&) const = default;
};
/// Returns the cuts of a step's boxes, the box of its instances first; none if the step is not shared.
[[nodiscard]] std::vector<BoxCut> cuts_of(const TransformPlan& plan, const RuleShape& rule, StepId step);

}  // namespace pb
