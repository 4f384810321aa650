// SPDX-License-Identifier: MIT
// Integer functions on 64 bits for the bounds in generated code.
#pragma once

#include <cstdint>

#include "runtime/config/border_functions.h"

namespace pbrt {

/// a / b, rounded to minus infinity. Pre: b > 0.
[[nodiscard]] constexpr std::int64_t floord(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
/// Returns the last value <= `from` that equals `offset` modulo `stride`. Pre: stride > 0
[[nodiscard]] constexpr std::int64_t last_on_lattice(std::int64_t from, std::int64_t stride, std::int64_t offset) {
  return offset + stride * floord(from - offset, stride);
}
/// Returns the first value >= `from` that equals `offset` modulo `stride`. Pre: stride > 0
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
[[nodiscard]] constexpr std::int64_t wrapped(std::int64_t at, std::int64_t size) {
  return borders::pb_wrapped(at, size);
}
[[nodiscard]] constexpr std::int64_t clamped(std::int64_t at, std::int64_t size) {
  return borders::pb_clamped(at, size);
}
[[nodiscard]] constexpr std::int64_t mirrored(std::int64_t at, std::int64_t size) {
  return borders::pb_mirrored(at, size);
}

/// A 64-bit integer that knows whether it, and everything that it was computed from, fits 64 bits.
class Exact {
 public:
  constexpr Exact(std::int64_t value) : value_(value) {}  // NOLINT: formulas mix it with plain integers
  [[nodiscard]] constexpr bool is_beyond() const { return is_beyond_; }
  /// Pre:     !is_beyond()
  [[nodiscard]] constexpr std::int64_t value() const { return value_; }

  friend constexpr Exact operator+(Exact a, Exact b) {
    Exact out(0);
    out.is_beyond_ = __builtin_add_overflow(a.value_, b.value_, &out.value_) || a.is_beyond_ || b.is_beyond_;
    return out;
  }
  friend constexpr Exact operator-(Exact a, Exact b) {
    Exact out(0);
    out.is_beyond_ = __builtin_sub_overflow(a.value_, b.value_, &out.value_) || a.is_beyond_ || b.is_beyond_;
    return out;
  }
  friend constexpr Exact operator*(Exact a, Exact b) {
    Exact out(0);
    out.is_beyond_ = __builtin_mul_overflow(a.value_, b.value_, &out.value_) || a.is_beyond_ || b.is_beyond_;
    return out;
  }
  friend constexpr Exact operator/(Exact a, Exact b) {
    Exact out(0);
    out.is_beyond_ = a.is_beyond_ || b.is_beyond_ || b.value_ == 0 || b.value_ == -1;
    if (!out.is_beyond_) out.value_ = a.value_ / b.value_;
    return b.value_ == -1 ? Exact(0) - a : out;
  }
  friend constexpr Exact operator-(Exact a) { return Exact(0) - a; }

 private:
  std::int64_t value_;
  bool is_beyond_ = false;
};
/// The value, or the largest 64-bit integer if it does not fit; for values that only grow.
[[nodiscard]] constexpr std::int64_t exact_or_most(Exact value) {
  return value.is_beyond() ? INT64_MAX : value.value();
}

}  // namespace pbrt
