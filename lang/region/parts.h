// SPDX-License-Identifier: MIT
// How much a region costs to ask: used by passes that can do without an answer.
#pragma once

#include <cstddef>

#include "lang/region/region.h"

namespace pb {

/// Of the union that a region is kept as: few after coalesce(). Boxes of it are at least as many, mostly.
[[nodiscard]] std::size_t num_parts(const Region& region);

}  // namespace pb
