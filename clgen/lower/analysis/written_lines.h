// SPDX-License-Identifier: MIT
// Finds out how many cells an instance writes and reads, if it has rows or other parts of several cells, and of which
// inputs it probably reads many. The number of cells decides into how many tasks a loop over such instances is cut.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

/// The cells of one matrix that an instance writes or reads. Their number is the product of the extents.
struct CellLine {
  struct Extent {
    std::optional<std::size_t> whole;  ///< a dimension of the matrix that the instance has from end to end
    IndexExpr length;                  ///< number of cells along a dimension; meaningful only if `whole` is absent

    bool operator==(const Extent&) const = default;
  };

  MatrixId matrix;
  std::vector<Extent> extents;

  bool operator==(const CellLine&) const = default;
};

/// Returns the parts of several cells that each instance of the step's only loop writes. Single cells are left out.
/// Returns nothing if the step does not have exactly one loop, or if instances may write different numbers of cells.
[[nodiscard]] std::vector<CellLine> written_lines(const RuleShape& rule, const Step& step);

/// Returns the parts of inputs that each instance of the step may read in loops of its body. Cells, windows of a
/// constant size and whole matrices are left out, and parts of which instances may have different numbers of cells.
/// Returns nothing if the step's loops are no box.
[[nodiscard]] std::vector<CellLine> read_lines(const RuleShape& rule, const Step& step);

/// Returns the matrices that each instance of the step's only loop may read as a whole, in loops of its body. Where
/// instances divide a matrix among each other, as the parts of a histogram do, each reads its share of the cells.
/// Returns nothing if the step does not have exactly one loop, or if the loop is no box.
[[nodiscard]] std::vector<MatrixId> shared_inputs(const RuleShape& rule, const Step& step);

}  // namespace pb
