// SPDX-License-Identifier: MIT
// How two numbers differ, how much they may, and how messages write them. Used where results are compared: with a
// reference (main/engine/verify.h), and with what a device computed (gpu/check).
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "runtime/matrix/element_kind.h"

namespace pbrt {

/// The tolerance of results of this type that have no other: a share of the largest magnitude.
[[nodiscard]] constexpr double default_tolerance(ElementKind kind) {
  constexpr double kDoubleTolerance = 1e-9;
  constexpr double kFloatTolerance = 1e-4;
  if (kind == ElementKind::Double) return kDoubleTolerance;
  return kind == ElementKind::Float ? kFloatTolerance : 0;
}

/// The difference of two values; 0 for equal ones, also where both are NaN or the same infinity.
template <class T>
[[nodiscard]] double error_of(T value, T expected) {
  if (value == expected) return 0;
  const double error = std::fabs(static_cast<double>(value) - static_cast<double>(expected));
  // Integers beyond 2^53 may differ by less than a double shows.
  if constexpr (std::is_integral_v<T>) return std::max(error, 1.0);
  if (!std::isnan(error)) return error;
  return std::isnan(value) && std::isnan(expected) ? 0 : std::numeric_limits<double>::infinity();
}

/// The number in as few digits as tell it from its neighbours.
template <class T>
[[nodiscard]] std::string number_text(T value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

}  // namespace pbrt
