// SPDX-License-Identifier: MIT
// Where coordinates that are not affine lie in the instances of a launch. The CPU tests them at each instance and ends
// the run at one that lies outside. A kernel cannot, so that a launch needs that they are inside of its whole box.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lang/index/index_bounds.h"
#include "lang/program.h"

namespace pb {

/// Returns values that are all 0 or more only if dimension `dim` of the access, which instances test, lies inside of
/// `size` cells in all of the `instances`; if a border says what lies outside, only if the coordinate has a value. Each
/// has a value where those before it are 0 or more, and none overflows 64 bits there. None if the coordinates have no
/// bounds that can be computed.
///
/// Pre: there are instances
[[nodiscard]] std::optional<std::vector<IndexExpr>> inside_of_box(const RegionAccess& input, std::size_t dim,
                                                                  const IndexExpr& size, const SymbolRanges& instances);

}  // namespace pb
