// SPDX-License-Identifier: MIT
// Panels are parts of matrices in the local memory of a work-group, whose rows are padded: pbc prints places in them,
// and the runtime says how large they are.
#pragma once

#include <cstdint>

namespace pb {

/// Rows begin at multiples of so many elements, so that work-items may read several at once.
inline constexpr std::int64_t kPanelUnit = 4;

/// So many elements lie between rows, so that neighbouring rows begin in other banks of the memory. The second number
/// is for matrix units that read floats: of 4 rows at a time, each 8 elements.
inline constexpr std::int64_t kPanelGap = 4, kPanelGapOfSplitFloats = 8;

/// Returns the distance of the rows of a panel that have `length` elements. Kernels have the same formula.
[[nodiscard]] constexpr std::int64_t padded_row(std::int64_t length, std::int64_t gap = kPanelGap) {
  return (length + kPanelUnit - 1) / kPanelUnit * kPanelUnit + gap;
}

}  // namespace pb
