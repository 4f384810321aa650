// SPDX-License-Identifier: MIT
// Which cell each instance of a step makes. Along a dimension of the matrix, a loop moves through the cells, as in
// `B.cell(x, y)`, or all instances lie at one coordinate, as in `B.cell(x, h-1)`. Launches that run several steps ask
// this: each instance of such a launch is a cell, and the steps' cells are boxes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Where the instances of a step lie along one dimension.
struct CellDim {
  std::string var;   ///< the loop variable that is the coordinate; empty: all instances have the same one
  IndexRange range;  ///< all coordinates, where the step runs; at most one if `var` is empty
  /// The coordinate of an instance, in spellings that mean the same where there is one.
  std::vector<IndexExpr> spellings;

  [[nodiscard]] bool is_fixed() const { return var.empty(); }
  bool operator==(const CellDim&) const = default;
};

/// Dimension 0 first.
using CellDims = std::vector<CellDim>;

/// The cells of a step, or why it makes none.
struct StepCells {
  CellDims dims;
  std::string why_not;  ///< what follows the rule's name; empty: each instance makes the cell at `dims`
};

/// Returns which cells the instances make along the first `num_dims` dimensions of the rule's first output. Loops stand
/// in the order of these dimensions, the last dimension outside.
[[nodiscard]] StepCells find_step_cells(const Transform& transform, const TransformPlan& plan, const Step& step,
                                        std::size_t num_dims);

/// Returns the loops of a step as the dimensions of the cells that its instances stand for, the innermost one first.
[[nodiscard]] CellDims cells_of_loops(const Step& step);
/// Whether some dimension has one coordinate.
[[nodiscard]] bool has_fixed(const CellDims& dims);

/// Returns how far `at` lies beside the coordinate of an instance; none if that is not known when compiling.
[[nodiscard]] std::optional<std::int64_t> distance_from(const CellDim& dim, const IndexExpr& at);

/// Returns the variable of each dimension; empty where instances have none.
[[nodiscard]] std::vector<std::string> variables_of(const CellDims& dims);
/// Returns the number of the step which has most to do among those with a loop along each dimension: a launch of all
/// steps has its loops. None if there is none.
///
/// Pre: `cells` has the cells of each step
[[nodiscard]] std::optional<std::size_t> main_step(const Transform& transform, const TransformPlan& plan,
                                                   const std::vector<StepId>& steps,
                                                   const std::vector<CellDims>& cells);

}  // namespace pb
