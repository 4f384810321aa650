// SPDX-License-Identifier: MIT
// Which single points lie in a region, by number, and whether these are infinitely many.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/region/region.h"

namespace pb {

/// True if the region has the point at these coordinates for these parameter values.
///
/// Pre: every parameter of the region has a value; `point` has a coordinate per dimension
[[nodiscard]] bool contains_point(const Region& region, const SymbolValues& parameters,
                                  const std::vector<std::int64_t>& point);

/// True if the region has bounds in every dimension, whatever the parameters are.
[[nodiscard]] bool is_bounded(const Region& region);

}  // namespace pb
