// SPDX-License-Identifier: MIT
// Which temporaries may be computed per tile of their reader, so that nothing stores them. On a device (decision 62) a
// tile is a work-group of the reader's launch, which makes the cells that its instances read in its memory. On the CPU
// (decision 63) it is a band of the reader's rows: a task makes the rows that its instances read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choicegraph/plan/launches/step_cells.h"
#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// What computes temporaries per tile.
enum class TileKind : std::uint8_t { WorkGroups, Bands };

/// A temporary that only a reader and other such temporaries of it read, near each instance's own cell.
struct TiledMatrix {
  MatrixId matrix;
  /// All that make it: each writes single cells of a box. The first one has most to do.
  std::vector<StepId> steps;
  /// In work-groups, which cells each of them makes; the first one has a loop along each dimension.
  std::vector<CellDims> cells;
  /// Per dimension, what is needed of it for one instance of the reader: from `lo` to before `hi`, beside the cell
  /// where the instance stands. In bands they have one number, for the last dimension: rows beside the instance's value
  /// of its outermost loop.
  std::vector<std::int64_t> lo, hi;
  /// In bands, the loop of each of the steps that stands for the last dimension: an index into Step::loops.
  std::vector<std::size_t> row_loops;
};

/// A step, and what may be computed per tile of it.
struct TiledSteps {
  StepId reader;
  std::vector<TiledMatrix> matrices;  ///< in an order in which they may be made; empty: there are none
  std::string why_not;                ///< why a temporary that it reads is always stored; empty: none is

  /// Returns the steps that make temporaries, in the order in which these may be made.
  [[nodiscard]] std::vector<StepId> makers() const;
  [[nodiscard]] bool is_maker(StepId step) const;
};

/// Returns what may be computed per tile of a step.
///
/// Pre: the versions of the alternatives are found
[[nodiscard]] TiledSteps find_tiled_steps(const Transform& transform, const TransformPlan& plan, StepId reader,
                                          TileKind kind);

/// Returns the numbers of `all`, each behind those of which the reader's temporaries are made in tiles of others'
/// readers: a reader that makes a temporary of another one comes after that one.
[[nodiscard]] std::vector<std::size_t> behind_their_readers(const std::vector<const TiledSteps*>& all);

/// The box of an input beside the cell where an instance of the step stands: per dimension of the matrix, from `lo` to
/// before `hi`.
struct NearBox {
  std::vector<std::int64_t> lo, hi;
};

/// Returns where an input lies beside the step's instances, which stand at `cells`; `lo` is empty if that is not known
/// when compiling.
///
/// Pre: the input's matrix has as many dimensions
[[nodiscard]] NearBox near_box_of(const Step& step, const CellDims& cells, std::size_t input);

}  // namespace pb
