// SPDX-License-Identifier: MIT
// Integer functions that the bounds in generated code use, on 64 bits.
#pragma once

#include <cstdint>

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

}  // namespace pbrt
