// SPDX-License-Identifier: MIT
// Boxes of rule instances or of cells: what generated code loops over and what its steps write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pbrt {

/// Half-open box [lo, hi) of rule instances; dimension 0 is the fastest.
template <int N>
struct Box {
  static_assert(N >= 1);
  std::int64_t lo[N];
  std::int64_t hi[N];

  [[nodiscard]] constexpr std::int64_t extent(int d) const { return hi[d] - lo[d]; }
  [[nodiscard]] constexpr bool is_empty() const {
    for (int d = 0; d < N; ++d) {
      if (hi[d] <= lo[d]) return true;
    }
    return false;
  }
  /// Number of instances; 0 for an empty box.
  [[nodiscard]] constexpr std::int64_t volume() const {
    if (is_empty()) return 0;
    std::int64_t product = 1;
    for (int d = 0; d < N; ++d) product *= extent(d);
    return product;
  }
};

/// The cells that lie in both boxes.
template <int N>
[[nodiscard]] constexpr Box<N> common_part(Box<N> a, const Box<N>& b) {
  for (int d = 0; d < N; ++d) {
    a.lo[d] = a.lo[d] > b.lo[d] ? a.lo[d] : b.lo[d];
    a.hi[d] = a.hi[d] < b.hi[d] ? a.hi[d] : b.hi[d];
  }
  return a;
}

/// The smallest box around both; an empty one counts as nothing.
template <int N>
[[nodiscard]] constexpr Box<N> box_around(const Box<N>& a, const Box<N>& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  Box<N> result = a;
  for (int d = 0; d < N; ++d) {
    result.lo[d] = a.lo[d] < b.lo[d] ? a.lo[d] : b.lo[d];
    result.hi[d] = a.hi[d] > b.hi[d] ? a.hi[d] : b.hi[d];
  }
  return result;
}

/// The box that boxes without common cells make up; an empty box if they do not make up a box.
template <int N, std::size_t K>
[[nodiscard]] constexpr Box<N> made_up_of(const Box<N> (&boxes)[K]) {
  Box<N> around{};
  std::int64_t volume = 0;
  for (const Box<N>& box : boxes) {
    around = box_around(around, box);
    volume += box.volume();
  }
  return volume == around.volume() ? around : Box<N>{};
}

/// Runs `function` on boxes that make up what `inside`, a part of `all`, leaves of it; on `all` if that part is empty.
template <int N, class F>
void for_each_outside(const Box<N>& all, const Box<N>& inside, const F& function) {
  if (all.is_empty()) return;
  if (inside.is_empty()) return function(all);
  Box<N> rest = all;
  for (int d = N; d-- > 0;) {
    Box<N> below = rest, above = rest;
    below.hi[d] = inside.lo[d];
    above.lo[d] = inside.hi[d];
    if (!below.is_empty()) function(below);
    if (!above.is_empty()) function(above);
    rest.lo[d] = inside.lo[d], rest.hi[d] = inside.hi[d];
  }
}

}  // namespace pbrt
