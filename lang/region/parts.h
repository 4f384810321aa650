// SPDX-License-Identifier: MIT
// How much a region costs to ask: used by passes that can do without an answer.
#pragma once

#include <cstddef>

#include "lang/region/region.h"

namespace pb {

/// Number of parts of the union that a region is kept as. After coalesce() there are few of them; a region has mostly
/// at least as many boxes as parts.
[[nodiscard]] std::size_t num_parts(const Region& region);

}  // namespace pb
