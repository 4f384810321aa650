// SPDX-License-Identifier: MIT
// How a body uses its regions: which coordinates are always the variable of the same loop. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lang/program.h"

namespace pb::choices {

/// The uses of one region below a statement.
struct RegionUses {
  std::vector<ExprId> members;  ///< `r.cell(…)` and sizes, in the order of the text
  bool is_plain = true;         ///< there are no others
  Span span;                    ///< of the first one that is another, else of the first one
};

/// Returns the uses of an output or an input, as `of` names it.
[[nodiscard]] RegionUses uses_of(const Rule& rule, StmtId below, const NameBinding& of);

/// A part of a region that instances of their own can have: a cell, a row or a column.
struct BoundAccess {
  AccessKind kind = AccessKind::Cell;
  std::vector<std::size_t> dims;                  ///< by coordinate in the body: the dimension of the matrix
  std::vector<std::optional<std::size_t>> loops;  ///< by coordinate in the body: the loop whose variable it is

  /// Whether the instances share a coordinate. A region with one place there has the coordinate 0 in the body.
  [[nodiscard]] bool is_shared(std::size_t coordinate) const { return !loops[coordinate].has_value(); }
};

/// The smallest part of the region in which all of the uses lie while the loops' variables stay the same. `locals` are
/// the numbers of the loops' variables. None if there is no such part.
[[nodiscard]] std::optional<BoundAccess> bound_access(const Rule& rule, const RegionUses& uses,
                                                      const RegionAccess& region,
                                                      const std::vector<std::uint32_t>& locals);

}  // namespace pb::choices
