// SPDX-License-Identifier: MIT
// Which single points lie in a region, by number.
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

}  // namespace pb
