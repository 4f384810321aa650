// SPDX-License-Identifier: MIT
// The cells that instances read of a matrix if borders map coordinates outside of it to cells inside
// (docs/reference/language.md 5.7). They are not one box but several: the part of the coordinates' box that lies
// inside, and the cells to which each side of it is mapped.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/matrix/index_math.h"
#include "runtime/sched/loops/box.h"

namespace pbrt {

/// Borders of the inputs that move along one dimension, as a set.
enum BorderSet : std::uint8_t { kNoBorder = 0, kWrap = 1, kClamp = 2, kMirror = 4 };

/// The box of all coordinates, which may reach beyond the matrix, and per dimension the borders that map them.
template <int N>
struct BorderedBox {
  Box<N> box;
  int borders[N];
};

/// A half-open interval of indices; empty if hi <= lo.
struct IndexInterval {
  std::int64_t lo = 0, hi = 0;
  [[nodiscard]] constexpr bool is_empty() const { return hi <= lo; }
};

/// The interval to which a border maps [lo, hi), which lies on one side of the matrix; the whole matrix if that is not
/// an interval.
[[nodiscard]] constexpr IndexInterval mapped_interval(BorderSet border, IndexInterval outside, std::int64_t size) {
  const std::int64_t length = outside.hi - outside.lo - 1;
  const auto map = [&](std::int64_t at) {
    return border == kWrap ? wrapped(at, size) : border == kClamp ? clamped(at, size) : mirrored(at, size);
  };
  const std::int64_t first = map(outside.lo), last = map(outside.hi - 1);
  const bool is_whole =
      border == kWrap ? last - first != length : border == kMirror && last - first != length && first - last != length;
  return is_whole ? IndexInterval{0, size} : IndexInterval{std::min(first, last), std::max(first, last) + 1};
}

/// Runs `function` on boxes inside a matrix of these sizes that make up what is read; they may overlap.
template <int N, class F, int D = N - 1>
void for_each_read(const BorderedBox<N>& read, const std::int64_t (&sizes)[N], const F& function, Box<N> chosen = {}) {
  if constexpr (D < 0) {
    function(chosen);
  } else {
    const auto with = [&](IndexInterval at) {
      if (at.is_empty()) return;
      chosen.lo[D] = at.lo, chosen.hi[D] = at.hi;
      for_each_read<N, F, D - 1>(read, sizes, function, chosen);
    };
    const std::int64_t lo = read.box.lo[D], hi = read.box.hi[D], size = sizes[D];
    with({std::max<std::int64_t>(lo, 0), std::min(hi, size)});
    if (size <= 0) return;
    const IndexInterval below{lo, std::min<std::int64_t>(hi, 0)}, above{std::max(lo, size), hi};
    for (const BorderSet border : {kWrap, kClamp, kMirror}) {
      if ((read.borders[D] & border) == 0) continue;
      if (!below.is_empty()) with(mapped_interval(border, below, size));
      if (!above.is_empty()) with(mapped_interval(border, above, size));
    }
  }
}

}  // namespace pbrt
