// SPDX-License-Identifier: MIT
// Rows in blocks, for generated code. Loops along the rows of matrices that are larger than near caches run block by
// block, and before each block the lines of a later one are requested. Without this, processors fetch lines that are
// written too late, above all if there are several matrices. Short blocks between the requests keep reads and writes
// flowing side by side.
#pragma once

#include <cstdint>

#include "base/loop_forms.h"
#include "runtime/matrix/view.h"

namespace pbrt {

/// Bytes of a matrix that a near cache may hold beside others: asking ahead for those only costs.
inline constexpr std::int64_t kMaxNearBytes = std::int64_t{1} << 20;

/// Whether loops that write these matrices run in blocks, by a pb::SizeRule as a number; never if neighbours lie apart.
template <class... Views>
[[nodiscard]] inline bool has_row_blocks([[maybe_unused]] const std::int64_t rule, const Views&... outputs) {
  const auto is_far = [](const auto& view) { return view.bytes() > kMaxNearBytes; };
  if constexpr ((Views::kIsUnit || ...)) return pb::applies(rule, ((Views::kIsUnit && is_far(outputs)) || ...));
  return false;
}

/// Requests `kCount` lines, from the one at an address on, which may lie outside of any matrix.
template <int kCount, bool kIsWritten>
PB_PREFETCHES inline void request_lines(const void* first) {
  constexpr std::uintptr_t kLineBytes = 64;
  const auto from = reinterpret_cast<std::uintptr_t>(first);
  for (std::uintptr_t i = 0; i < kCount; ++i)
    __builtin_prefetch(reinterpret_cast<const void*>(from + i * kLineBytes), kIsWritten ? 1 : 0);
}

}  // namespace pbrt
