// SPDX-License-Identifier: MIT
// The parts of matrices that a step writes, as boxes.
#pragma once

#include <optional>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/box_bounds.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

/// Returns the boxes of a matrix that a step writes. None instead of a box stands for all of the matrix. A scattered
/// matrix counts as written as a whole, because no device writes it. A step that a device and the CPU may share has a
/// box in any case, because each side writes a part of it.
[[nodiscard]] std::vector<std::optional<BoxBounds>> written_boxes(const TransformPlan& plan, const RuleShape& rule,
                                                                  const Step& step, MatrixId matrix);

/// Whether each box that the step writes is all of a matrix or the box of its loops.
[[nodiscard]] bool writes_its_instances(const TransformPlan& plan, const RuleShape& rule, const Step& step);

}  // namespace pb
