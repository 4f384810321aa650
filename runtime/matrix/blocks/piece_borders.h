// SPDX-License-Identifier: MIT
// Which points of a box are instances, where these are not all of a box: triangles, bands and the like. Tiles
// (tile_loops.h) need to know it of boxes that are a tile or more. Generated code gives the conditions, which are
// affine in the coordinates of a lane and of a row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "runtime/matrix/simd.h"

namespace pbrt::simd {

/// Points of two loops.
struct TileBox {
  std::int64_t lane_begin, lane_end;
  std::int64_t row_begin, row_end;

  [[nodiscard]] constexpr bool is_empty() const { return lane_begin >= lane_end || row_begin >= row_end; }
  bool operator==(const TileBox&) const = default;
};

/// The points at which `at + of_lane * lane + of_row * row` is 0 or more.
struct HalfPlane {
  std::int64_t at;
  std::int64_t of_lane, of_row;  ///< -1, 0 or 1

  [[nodiscard]] constexpr std::int64_t value(std::int64_t lane, std::int64_t row) const {
    return at + of_lane * lane + of_row * row;
  }
  /// The largest and the smallest value in a box that is not empty: those at two of its corners.
  [[nodiscard]] constexpr std::int64_t largest(const TileBox& box) const {
    return value(of_lane > 0 ? box.lane_end - 1 : box.lane_begin, of_row > 0 ? box.row_end - 1 : box.row_begin);
  }
  [[nodiscard]] constexpr std::int64_t smallest(const TileBox& box) const {
    return value(of_lane > 0 ? box.lane_begin : box.lane_end - 1, of_row > 0 ? box.row_begin : box.row_end - 1);
  }
};

/// The instances that N conditions leave of boxes.
template <int N>
class Borders {
 public:
  template <class... Plane>
  explicit constexpr Borders(const Plane&... planes) : planes_{planes...} {}

  /// Whether all points of the box are instances. Pre: the box is not empty
  [[nodiscard]] constexpr bool surround(const TileBox& box) const {
    return std::all_of(planes_.begin(), planes_.end(),
                       [&](const HalfPlane& plane) { return plane.smallest(box) >= 0; });
  }
  /// Whether one of the conditions holds nowhere in the box. Pre: the box is not empty
  [[nodiscard]] constexpr bool exclude(const TileBox& box) const {
    return std::any_of(planes_.begin(), planes_.end(), [&](const HalfPlane& plane) { return plane.largest(box) < 0; });
  }
  /// The instances of a row from lane `begin` to before `end`; an empty span if there are none.
  [[nodiscard]] constexpr LaneSpan lanes_of(std::int64_t row, LaneSpan span) const {
    for (const HalfPlane& plane : planes_) {
      const std::int64_t rest = plane.value(0, row);
      if (plane.of_lane > 0) span.begin = std::max(span.begin, -rest);
      if (plane.of_lane < 0) span.end = std::min(span.end, rest + 1);
      if (plane.of_lane == 0 && rest < 0) span.end = span.begin;
    }
    return {span.begin, std::max(span.begin, span.end)};
  }
  /// The smallest box around the instances of `box`. As factors are 1 at most, each of its rows and each of its lanes
  /// has one. Empty, and at the first point of `box`, if there are none.
  [[nodiscard]] constexpr TileBox around(const TileBox& box) const {
    if constexpr (N == 0) return box;
    TileBox out{box.lane_begin, box.lane_begin, box.row_begin, box.row_begin};
    for (std::int64_t row = box.row_begin; row < box.row_end; ++row) {
      const LaneSpan span = lanes_of(row, {box.lane_begin, box.lane_end});
      if (span.is_empty()) continue;
      out = out.is_empty() ? TileBox{span.begin, span.end, row, row + 1}
                           : TileBox{std::min(out.lane_begin, span.begin), std::max(out.lane_end, span.end),
                                     out.row_begin, row + 1};
    }
    return out;
  }

 private:
  std::array<HalfPlane, N> planes_;
};
template <class... Plane>
Borders(const Plane&...) -> Borders<static_cast<int>(sizeof...(Plane))>;

}  // namespace pbrt::simd
