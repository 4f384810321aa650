// SPDX-License-Identifier: MIT
// Pass: whether a work-item of a kernel may run neighbouring instances in vectors: it then loads the cells that they
// read of a row, and stores those that they write, with 16 bytes at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"

namespace pb {

/// Cells of one row that the instances of a vector read.
struct NearCells {
  /// An input that is one cell, and where it lies in the row: at the instance's place along the fastest loop plus
  /// `distance`.
  struct Reader {
    std::size_t input = 0;
    int distance = 0;

    bool operator==(const Reader&) const = default;
  };
  std::vector<Reader> readers;  ///< of the same row
  int first = 0, last = 0;      ///< the least and the greatest distance

  bool operator==(const NearCells&) const = default;
};

/// An input that is a region, whose rows begin at the instance's place along the fastest loop plus `distance`. Together
/// the instances of a vector read rows that are longer by all but one of them.
struct NearRegion {
  std::size_t input = 0;
  int distance = 0;
  std::vector<IndexExpr> extents;  ///< per dimension of the matrix, in names that builds of the kernel may know
  std::vector<std::string> names;  ///< those names

  bool operator==(const NearRegion&) const = default;
};

/// Neighbouring instances along the fastest loop, which one work-item runs.
struct VectorInstances {
  int width = 0;  ///< how many they are at most: 2 or 4; where rows are aligned to less, they are half as many
  std::vector<NearCells> rows;
  std::vector<NearRegion> regions;
  std::vector<MatrixId> matrices;  ///< those that are read or written in vectors, each once

  bool operator==(const VectorInstances&) const = default;
};

/// Returns how the instances of a step run in vectors; none if one of them does not write single cells that lie at its
/// place along the fastest loop. `known` has the size variables whose values builds of the kernel may know.
[[nodiscard]] std::optional<VectorInstances> find_vector_instances(const Program& program, const Transform& transform,
                                                                   const Step& step,
                                                                   const std::set<std::string>& known);

}  // namespace pb
