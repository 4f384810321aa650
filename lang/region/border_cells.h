// SPDX-License-Identifier: MIT
// The cells that instances read if a border maps coordinates outside of a matrix to others inside
// (docs/reference/language.md 5.7). They are a union of pieces: one for the inside, and on each side one per part that
// is mapped in the same way. See Note [Exact pieces].
#pragma once

#include <string>
#include <vector>

#include "lang/border.h"
#include "lang/index/index_expr.h"
#include "lang/region/region.h"

namespace pb {

/// One dimension of an access: the positions [`lo`, `hi`). If a border maps it, it is the single position `lo`.
struct BorderedInterval {
  Interval at;
  IndexExpr size;                ///< the size of the matrix
  Border border = Border::None;  ///< the border that maps the position, or None
};

/// The map from instances of `domain` to the cells that they read. If a border maps, these are only cells of the
/// matrix.
///
/// Pre: in `domain`, sizes of mapped dimensions are at least 1
[[nodiscard]] RegionMap border_cells(const Region& domain, const std::vector<std::string>& cell_dims,
                                     const std::vector<BorderedInterval>& access);

}  // namespace pb
