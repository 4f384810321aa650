// SPDX-License-Identifier: MIT
// Integer functions that the bounds in generated code use, on 64 bits.
#pragma once

#include <cstdint>

#include "runtime/config/border_functions.h"

namespace pbrt {

/// a / b, rounded to minus infinity. Pre: b > 0.
[[nodiscard]] constexpr std::int64_t floord(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
/// The first value >= `from` that equals `offset` modulo `stride`, and the last one <= `from`; stride > 0.
[[nodiscard]] constexpr std::int64_t last_on_lattice(std::int64_t from, std::int64_t stride, std::int64_t offset) {
  return offset + stride * floord(from - offset, stride);
}
[[nodiscard]] constexpr std::int64_t next_on_lattice(std::int64_t from, std::int64_t stride, std::int64_t offset) {
  return last_on_lattice(from + stride - 1, stride, offset);
}
[[nodiscard]] constexpr std::int64_t index_min(std::int64_t a) { return a; }
template <class... More>
[[nodiscard]] constexpr std::int64_t index_min(std::int64_t a, std::int64_t b, More... more) {
  return index_min(a < b ? a : b, more...);
}
[[nodiscard]] constexpr std::int64_t index_max(std::int64_t a) { return a; }
template <class... More>
[[nodiscard]] constexpr std::int64_t index_max(std::int64_t a, std::int64_t b, More... more) {
  return index_max(a > b ? a : b, more...);
}

namespace borders {
PB_WRAPPED([[nodiscard]] constexpr, std::int64_t)
PB_CLAMPED([[nodiscard]] constexpr, std::int64_t)
PB_MIRRORED([[nodiscard]] constexpr, std::int64_t)
}  // namespace borders

/// Coordinates of cells that borders give for `at`; size > 0.
[[nodiscard]] constexpr std::int64_t wrapped(std::int64_t at, std::int64_t size) { return borders::pb_wrapped(at, size); }
[[nodiscard]] constexpr std::int64_t clamped(std::int64_t at, std::int64_t size) { return borders::pb_clamped(at, size); }
[[nodiscard]] constexpr std::int64_t mirrored(std::int64_t at, std::int64_t size) { return borders::pb_mirrored(at, size); }

}  // namespace pbrt
