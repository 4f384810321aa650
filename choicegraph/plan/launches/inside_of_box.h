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

/// Returns whether no border says what the input has where coordinate `dim`, which instances test, lies outside.
[[nodiscard]] bool must_be_inside(const RegionAccess& input, std::size_t dim);

/// Returns whether the coordinate is divided by what differs between instances, and may be 0.
[[nodiscard]] bool has_variable_divisor(const Formula& coordinate);

/// Returns values that are all 0 or more only if dimension `dim` of the access, which instances test, lies inside of
/// `size` cells in all of the `instances`. Each has a value where those before it are 0 or more. None if the
/// coordinates have no bounds that can be computed.
///
/// Pre: must_be_inside(input, dim), and there are instances
[[nodiscard]] std::optional<std::vector<IndexExpr>> inside_of_box(const RegionAccess& input, std::size_t dim,
                                                                  const IndexExpr& size, const SymbolRanges& instances);

}  // namespace pb
