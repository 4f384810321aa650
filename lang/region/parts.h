// SPDX-License-Identifier: MIT
// Tells how much questions about a region cost. Used by passes that can do without an answer.
#pragma once

#include <cstddef>

#include "lang/region/region.h"

namespace pb {

/// The number of parts of the union as which a region is stored. After coalesce() there are few of them. A region
/// mostly has at least as many boxes as parts.
[[nodiscard]] std::size_t num_parts(const Region& region);

}  // namespace pb
