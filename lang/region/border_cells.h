// SPDX-License-Identifier: MIT
// The cells that instances read where a border maps coordinates outside of a matrix to others inside
// (docs/reference/language.md 5.7), as a union of pieces: inside, and per side what is mapped alike. See Note [Exact
// pieces].
#pragma once

#include <string>
#include <vector>

#include "lang/border.h"
#include "lang/index/index_expr.h"
#include "lang/region/region.h"

namespace pb {

/// One dimension of an access: positions from `lo` to before `hi`; one position, `lo`, if a border maps it.
struct BorderedInterval {
  Interval at;
  IndexExpr size;                ///< of the matrix
  Border border = Border::None;  ///< maps the position, or None
};

/// Instance of `domain` -> the cells it reads; no others than those of the matrix where a border maps.
///
/// Pre: in `domain`, sizes of mapped dimensions are at least 1
[[nodiscard]] RegionMap border_cells(const Region& domain, const std::vector<std::string>& cell_dims,
                                     const std::vector<BorderedInterval>& access);

}  // namespace pb
