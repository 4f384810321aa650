// SPDX-License-Identifier: MIT
// How a device runs a step whose instances depend on one another along several loops: in blocks, whose anti-diagonals
// follow one another. Such a step has no launch per slice, and is no scan.
#pragma once

#include <optional>
#include <vector>

#include "choicegraph/plan/plan.h"

namespace pb {

/// A row of a wavefront: the sum of the loops' variables times these whole numbers, the fastest loop first.
struct WaveRow {
  std::vector<int> coefficients;
  bool is_carried = false;  ///< some instance needs one that lies before it along the row
  bool operator==(const WaveRow&) const = default;
};

/// Returns the rows of the wavefront in which a device runs the step, those of fast loops first; empty if it runs in
/// none. They are a unimodular change of the loops' variables. Two or more are carried. No instance needs one that lies
/// behind it along some row, or elsewhere along a row that is not carried. So instances whose carried rows have the
/// same sum are independent.
///
/// Pre: the nests of the Plan are found
[[nodiscard]] std::vector<WaveRow> wave_of_launch(const TransformPlan& plan, StepId step);

/// Returns the matrix that gives the loops' variables as sums of whole multiples of the rows.
[[nodiscard]] std::vector<std::vector<int>> inverse_of(const std::vector<WaveRow>& rows);

}  // namespace pb
