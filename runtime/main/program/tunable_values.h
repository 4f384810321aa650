// SPDX-License-Identifier: MIT
// What bodies see of a tunable or configuration value declared `array(N)`: its values in the declared type, in an array
// that C++ knows (`v[i]`, `v.size()`, `&v[0]`). The configuration itself keeps 64-bit integers. For generated code
// only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pbrt {

/// The `N` values at `first` as values of type T.
///
/// Pre:     `first` holds N values, each within T's range (bounds of tunables are checked when a configuration is read)
template <typename T, std::size_t N, typename Stored>
[[nodiscard]] std::array<T, N> tunable_values(const Stored* first) {
  std::array<T, N> values{};
  for (std::size_t k = 0; k < N; ++k) values[k] = static_cast<T>(first[k]);
  return values;
}

}  // namespace pbrt
