// SPDX-License-Identifier: MIT
// Conversion of numbers read from files to a matrix's element type (docs/reference/language.md 20.1): to the
// nearest floating value; integers exactly or not at all. Used by the matrix readers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pbrt {

enum class Stored : std::uint8_t { Ok, Fraction, Overflow, TooSmall };

/// Why a number was refused, to follow "does not fit: ".
[[nodiscard]] inline const char* why_not_stored(Stored stored) {
  switch (stored) {
    case Stored::Ok:
      break;
    case Stored::Fraction:
      return "it is not an integer";
    case Stored::Overflow:
      return "it is too large";
    case Stored::TooSmall:
      return "it is too small";
  }
  return "";
}

template <class To, class From>
[[nodiscard]] Stored store_number(From value, To& to) {
  if constexpr (std::is_floating_point_v<To>) {
    to = static_cast<To>(value);
    if constexpr (std::is_floating_point_v<From>) {
      if (std::isinf(to) && !std::isinf(value)) return Stored::Overflow;
    }
    return Stored::Ok;
  } else if constexpr (std::is_floating_point_v<From>) {
    if (!(std::trunc(value) == value)) return Stored::Fraction;
    // Exact: the bounds are powers of two, or one below.
    const auto limit = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (value >= limit) return Stored::Overflow;
    if (value < (std::is_signed_v<To> ? -limit : From{0})) return Stored::TooSmall;
    to = static_cast<To>(value);
    return Stored::Ok;
  } else {
    if (!(value >= 0 || std::is_signed_v<To>)) return Stored::TooSmall;
    to = static_cast<To>(value);
    const bool same_sign = (value < 0) == (to < 0);
    if (same_sign && static_cast<From>(to) == value) return Stored::Ok;
    return value < 0 ? Stored::TooSmall : Stored::Overflow;
  }
}

}  // namespace pbrt
