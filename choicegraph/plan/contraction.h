// SPDX-License-Identifier: MIT
// Contractions: rules whose instances each run one fold, such as the sum of products of a row and a column, so that
// neighbouring instances read the same cells. Such a fold may run for many instances at a time, a part of its rounds
// after the other: each instance keeps its accumulators between the parts, and reads what the part needs from copies
// that fit into a cache, or into the memory of a work-group. The updates of an instance keep their order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb {

/// A rule's body as three parts: statements that set variables, one fold, and statements that use the result. The
/// first part may run again before each part of the fold: it does the same each time.
struct Contraction {
  /// The fold's loops, the outermost first. Each holds the next one, and nothing else but declarations. The last one
  /// holds no loop.
  std::vector<StmtId> loops;
  ExprId first, last;         ///< limits of the outermost loop
  bool is_inclusive = false;  ///< `last` is among its rounds
  /// For each of Rule::inputs, the dimension of the region that the outermost loop's variable walks along: in all reads
  /// of the region, all of which are in the last loop, that variable is the coordinate. None if there is no such
  /// dimension, or if the body does not read cells of it.
  std::vector<std::optional<std::size_t>> walked;
  std::vector<std::string> carried;  ///< the names of the accumulators, locals or outputs that are single elements

  bool operator==(const Contraction&) const = default;
};

/// Returns the contraction that the rule's body is; none if it is none. The range of the outermost loop is the same for
/// all instances.
[[nodiscard]] std::optional<Contraction> find_contraction(const Rule& rule, const Computation& computation);

}  // namespace pb
