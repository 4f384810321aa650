// SPDX-License-Identifier: MIT
// Boxes of instances and of matrices as values.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/launches/step_cells.h"
#include "choicegraph/plan/plan.h"
#include "lang/formula.h"

namespace pb {

/// Half-open ranges, dimension 0 first.
using BoxBounds = std::vector<IndexRange>;

/// Returns the box of the step's loops. Dimension 0 is the innermost loop.
[[nodiscard]] BoxBounds instance_box(const Step& step);

/// Returns the box of the cells.
[[nodiscard]] BoxBounds cell_box(const CellDims& cells);

/// Returns the box that generated code has in a variable `name`: from `name.lo[0]` to before `name.hi[0]`, and so on.
[[nodiscard]] BoxBounds variable_box(const std::string& name, std::size_t num_dims);

/// Whether the range has every index of a dimension of that extent.
[[nodiscard]] bool is_all_of(const IndexRange& range, const Formula& extent);

}  // namespace pb
