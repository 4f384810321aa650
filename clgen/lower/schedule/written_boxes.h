// SPDX-License-Identifier: MIT
// Where the instances of a step lie, and the parts of matrices that the step writes: as boxes.
#pragma once

#include <optional>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/rule_shape.h"

namespace pb {

/// Half-open ranges, dimension 0 first.
using BoxBounds = std::vector<IndexRange>;

/// Returns the box of the step's loops; dimension 0 is the innermost loop.
[[nodiscard]] BoxBounds instance_box(const Step& step);

/// Returns the boxes of a matrix that a step writes. None instead of a box stands for all of the matrix. A scattered
/// matrix counts as written as a whole, because no device writes it. A step that a device and the CPU may share has a
/// box in any case, because each side writes a part of it.
[[nodiscard]] std::vector<std::optional<BoxBounds>> written_boxes(const TransformPlan& plan, const RuleShape& rule,
                                                                  const Step& step, MatrixId matrix);

/// Whether each box that the step writes is all of a matrix or the box of its loops.
[[nodiscard]] bool writes_its_instances(const TransformPlan& plan, const RuleShape& rule, const Step& step);

}  // namespace pb
