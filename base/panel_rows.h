// SPDX-License-Identifier: MIT
// Panels are parts of matrices in the local memory of a work-group, whose rows are padded: pbc prints places in them,
// and the runtime says how large they are.
#pragma once

#include <cstdint>

namespace pb {

/// Rows begin at multiples of so many elements, so that work-items may read several at once; and neighbouring rows
/// begin in other banks of the memory.
inline constexpr std::int64_t kPanelUnit = 4;

/// Returns the distance of the rows of a panel that have `length` elements. `PB_PADDED` in kernels is the same.
[[nodiscard]] constexpr std::int64_t padded_row(std::int64_t length) {
  return (length + kPanelUnit - 1) / kPanelUnit * kPanelUnit + kPanelUnit;
}

}  // namespace pb
