// SPDX-License-Identifier: MIT
// Which temporaries a device may compute per tile of their reader (decision 62): a work-group of the reader's launch
// makes the cells that its instances read, in its memory, and no launch stores the temporary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// A temporary that only a reader and other such temporaries of it read, near each instance's own cell.
struct TiledMatrix {
  MatrixId matrix;
  /// All that make it: each writes single cells of a box. The first one has most to do.
  std::vector<StepId> steps;
  /// Per dimension, what is needed of it for one instance of the reader: from `lo` to before `hi`, beside the cell
  /// where the instance stands.
  std::vector<std::int64_t> lo, hi;
};

/// A step, and what may be computed per tile of it.
struct TiledSteps {
  StepId reader;
  std::vector<TiledMatrix> matrices;  ///< in an order in which they may be made; empty: there are none
  std::string why_not;                ///< why a temporary that it reads is always stored; empty: none is
};

/// Returns what a device may compute per tile of a step.
///
/// Pre: the versions of the alternatives are found
[[nodiscard]] TiledSteps find_tiled_steps(const Transform& transform, const TransformPlan& plan, StepId reader);

/// The box of an input beside the cell where an instance of the step stands: per dimension of the matrix, from `lo` to
/// before `hi`.
struct NearBox {
  std::vector<std::int64_t> lo, hi;
};

/// Returns where an input lies beside the step's instances; `lo` is empty if that is not known when compiling.
///
/// Pre: the matrix has as many dimensions as the step has loops
[[nodiscard]] NearBox near_box_of(const Step& step, std::size_t input);

}  // namespace pb
