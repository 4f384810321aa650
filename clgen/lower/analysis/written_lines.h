// SPDX-License-Identifier: MIT
// How many cells an instance writes, where it writes rows or other parts of several cells. Loops over such instances
// are cut into tasks by their cells.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

/// The cells that an instance writes of one matrix: the product of the extents.
struct WrittenLine {
  struct Extent {
    std::optional<std::size_t> whole;  ///< the dimension of the matrix that is written from end to end
    IndexExpr length;                  ///< only without `whole`

    bool operator==(const Extent&) const = default;
  };

  MatrixId matrix;
  std::vector<Extent> extents;

  bool operator==(const WrittenLine&) const = default;
};

/// Returns what each instance of a loop writes. Returns nothing if instances write different numbers of cells, or
/// single cells only, or if the step has not one loop.
[[nodiscard]] std::vector<WrittenLine> written_lines(const RuleShape& rule, const Step& step);

}  // namespace pb
