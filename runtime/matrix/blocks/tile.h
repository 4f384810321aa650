// SPDX-License-Identifier: MIT
// A tile of instances: kRows rows of kPacks vectors, whose accumulators stay in registers. Only generated code includes
// this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/matrix/simd.h"

namespace pbrt::simd {

/// Shapes of tiles for bodies whose widest type is T: with 24 or 12 vectors of accumulators, and for narrow boxes. The
/// other registers hold a row's vectors and one value.
template <class T>
struct TileShapes {
  static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
  using Wide = Shape<kLanes, 3, kVectorBytes == 64 ? 8 : 4>;
  using Narrow = Shape<kLanes, 1, 8>;
};

/// One vector of a tile.
template <class S>
using PartOf = Shape<S::kLanes, 1, 1>;

/// Calls `f(std::integral_constant<int, i>())` for each vector of a tile. So a body is computed vector by vector, and
/// what it needs beside accumulators stays in few registers.
template <class S, class F>
PB_SIMD_INLINE void by_parts(F f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) PB_SIMD_LAMBDA {
    (f(std::integral_constant<int, static_cast<int>(I)>()), ...);
  }
  (S::kIndices);
}

/// Returns one vector of a tile's values.
template <int kPart, class T, class S>
[[nodiscard]] PB_SIMD_INLINE Pack<T, PartOf<S>> part(const Pack<T, S>& values) {
  Pack<T, PartOf<S>> out;
  out.v[0] = values.v[kPart];
  return out;
}
template <int kPart, class T, class S>
PB_SIMD_INLINE void put_part(Pack<T, S>& to, const Pack<T, PartOf<S>>& values) {
  to.v[kPart] = values.v[0];
}

/// The cells of a matrix that one vector of a tile reads directly.
template <int kPart, class S, class View, int kLaneStep, int kRowDim>
struct LanesPart {
  const Lanes<View, S, kLaneStep, kRowDim>& lanes;

  template <class... I>
  [[nodiscard]] PB_SIMD_INLINE auto cell(I... indices) const {
    Pack<typename Lanes<View, S, kLaneStep, kRowDim>::Element, PartOf<S>> out;
    lanes.template read_vector<kPart>(out.v[0], indices...);
    return out;
  }
  [[nodiscard]] PB_SIMD_INLINE IndexT size(int d) const { return lanes.size(d); }
  [[nodiscard]] PB_SIMD_INLINE IndexT width() const { return lanes.width(); }
  [[nodiscard]] PB_SIMD_INLINE IndexT height() const { return lanes.height(); }
  [[nodiscard]] PB_SIMD_INLINE IndexT depth() const { return lanes.depth(); }
  [[nodiscard]] PB_SIMD_INLINE std::int64_t count() const { return lanes.count(); }
};
template <int kPart, class View, class S, int kLaneStep, int kRowDim>
[[nodiscard]] PB_SIMD_INLINE LanesPart<kPart, S, View, kLaneStep, kRowDim> part(
    const Lanes<View, S, kLaneStep, kRowDim>& lanes) {
  return {lanes};
}

/// The rounds that a tile runs in one go, and where its accumulators lie between two of them.
template <class S>
struct TileRounds {
  std::int64_t begin, end;
  bool is_first, is_last;
  std::byte* state;

  /// Gives the accumulators the values that they had after the rounds before.
  template <class... T>
  PB_SIMD_INLINE void enter(Pack<T, S>&... values) const {
    if (is_first) return;
    const std::byte* from = state;
    (load(values, from, S::kIndices), ...);
  }
  template <class... T>
  PB_SIMD_INLINE void leave(const Pack<T, S>&... values) const {
    if (is_last) return;
    std::byte* to = state;
    (store(values, to, S::kIndices), ...);
  }

 private:
  template <class T>
  using Unaligned = typename detail::VectorType<T, S::kLanes>::Unaligned;
  template <class T, std::size_t... I>
  PB_SIMD_INLINE static void load(Pack<T, S>& values, const std::byte*& from, std::index_sequence<I...>) {
    const auto* const vectors = reinterpret_cast<const Unaligned<T>*>(from);
    ((values.v[I] = vectors[I]), ...);
    from += sizeof(values.v);
  }
  template <class T, std::size_t... I>
  PB_SIMD_INLINE static void store(const Pack<T, S>& values, std::byte*& to, std::index_sequence<I...>) {
    auto* const vectors = reinterpret_cast<Unaligned<T>*>(to);
    ((vectors[I] = values.v[I]), ...);
    to += sizeof(values.v);
  }
};

/// The place of a tile.
struct TilePlace {
  IndexT lane, row;  ///< of its first instance
  /// The lanes of each row that it stores, counted from its first one; null: it stores all. Other tiles store what it
  /// overlaps, and points beyond a border are no instances.
  const LaneSpan* stored;
};

/// Stores the values of a tile at the indices, after its last rounds.
template <class Cells, class T, class S, class... I>
PB_SIMD_INLINE void finish_tile(const TileRounds<S>& rounds, const TilePlace& place, const Cells& cells,
                                const Pack<T, S>& values, I... indices) {
  if (!rounds.is_last) return;
  if (place.stored == nullptr) [[likely]]
    return cells.store(typename Cells::Values(values), indices...);
  cells.store_spans(typename Cells::Values(values), place.stored, indices...);
}

}  // namespace pbrt::simd
