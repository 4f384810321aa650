// SPDX-License-Identifier: MIT
// Copies of what tiles of instances read of an input: panels, which are read from front to back. A panel of the lanes
// holds, for each round, the cells of the kWidth columns of a tile side by side; one of the rows holds those of its
// rows. Only generated code includes this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime/matrix/blocks/block_sizes.h"
#include "runtime/matrix/blocks/tile.h"
#include "runtime/matrix/simd.h"
#include "runtime/matrix/simd_rows.h"

namespace pbrt::simd {

/// An input of which each instance reads a region, of N dimensions in the body. The region of the next instance begins
/// `step` elements further.
template <class E, int N>
struct PanelSource {
  const E* first;  ///< the first cell of the first instance's region
  std::int64_t step;
  std::int64_t strides[N];
  IndexT sizes[N];
  int walked;  ///< the dimension along which the rounds walk

  /// Pre: `regions` has the region of the first instance
  template <class View>
  PanelSource(const View& region, std::int64_t step_of_instance, int walked_dim)
      : first(region.address()), step(step_of_instance), walked(walked_dim) {
    for (int d = 0; d < N; ++d) strides[d] = region.stride(d);
    for (int d = 0; d < N; ++d) sizes[d] = region.size(d);
  }
  /// How many cells an instance reads per round: those along the other dimensions.
  [[nodiscard]] std::int64_t cells_per_round() const {
    std::int64_t out = 1;
    for (int d = 0; d < N; ++d) out *= d == walked ? 1 : sizes[d];
    return out;
  }
  /// Whether the cells of an instance lie at equal distances, in the order of a panel.
  ///
  /// Pre: cells_per_round() is not 0
  [[nodiscard]] bool is_dense() const {
    const std::int64_t stride = strides[walked] / cells_per_round();
    std::int64_t scale = stride;
    for (int d = 0; d < N; ++d) {
      if (d == walked) continue;
      if (strides[d] != scale) return false;
      scale *= sizes[d];
    }
    return strides[walked] == scale;
  }
};
template <class View>
PanelSource(const View&, std::int64_t, int) -> PanelSource<std::remove_const_t<typename View::Element>, View::kDims>;

namespace detail {

/// Reads a cell, which programs of `pbc --checked-copies` test.
template <class E>
[[nodiscard]] PB_SIMD_INLINE E cell_of(const E* cell) {
#ifdef PB_CHECKED_COPIES
  pbrt::detail::check_access(cell, sizeof(E));
#endif
  return *cell;
}

/// Copies `count` cells of each of kWidth instances side by side: cell i of instance j to `to[i * kWidth + j]`. The
/// cells of an instance lie `stride` elements apart, those of neighbours `step`.
template <int kWidth, class E>
inline void copy_side_by_side(E* to, const E* from, std::int64_t step, std::int64_t stride, std::int64_t count) {
  if (step == 1) {
    for (std::int64_t i = 0; i < count; ++i)
      for (int j = 0; j < kWidth; ++j) to[i * kWidth + j] = cell_of(from + i * stride + j);
    return;
  }
  std::int64_t i = 0;
#ifndef PB_CHECKED_COPIES
  // In squares of vectors.
  constexpr int kLanes = std::min(kWidth, kVectorBytes / static_cast<int>(sizeof(E)));
  if constexpr (sizeof(E) >= sizeof(float) && kWidth % kLanes == 0) {
    using Unaligned = typename VectorType<E, kLanes>::Unaligned;
    if (stride == 1)
      for (; i + kLanes <= count; i += kLanes)
        for (int j = 0; j < kWidth; j += kLanes) {
          typename VectorType<E, kLanes>::Type square[kLanes];
          for (int k = 0; k < kLanes; ++k) square[k] = *reinterpret_cast<const Unaligned*>(from + (j + k) * step + i);
          transpose_lanes<1>(square);
          for (int k = 0; k < kLanes; ++k) *reinterpret_cast<Unaligned*>(to + (i + k) * kWidth + j) = square[k];
        }
  }
#endif
  for (; i < count; ++i)
    for (int j = 0; j < kWidth; ++j) to[i * kWidth + j] = cell_of(from + j * step + i * stride);
}

/// Copies what the rounds from `begin` to `end` read of the regions of kWidth instances, the first of which is
/// `instance`.
template <int kWidth, class E, int N>
inline void copy_panel(E* to, const PanelSource<E, N>& source, std::int64_t instance, std::int64_t begin,
                       std::int64_t end) {
  const E* const first = source.first + instance * source.step;
  const std::int64_t walk = source.strides[source.walked];
  const std::int64_t num_cells = source.cells_per_round();
  if (num_cells == 0) return;
  if (source.is_dense()) {
    const std::int64_t stride = walk / num_cells;
    return copy_side_by_side<kWidth>(to, first + begin * walk, source.step, stride, (end - begin) * num_cells);
  }
  // Round by round; within a round, dimension by dimension, the first one fastest.
  for (std::int64_t round = begin; round < end; ++round) {
    IndexT at[N] = {};
    for (std::int64_t cell = 0; cell < num_cells; ++cell, to += kWidth) {
      const E* from = first + round * walk;
      for (int d = 0; d < N; ++d) from += d == source.walked ? 0 : at[d] * source.strides[d];
      for (int j = 0; j < kWidth; ++j) to[j] = cell_of(from + j * source.step);
      for (int d = 0; d < N; ++d) {
        if (d == source.walked) continue;
        if (++at[d] < source.sizes[d]) break;
        at[d] = 0;
      }
    }
  }
}

}  // namespace detail

/// A panel as the body reads it: its indices are those of the region.
template <class E, int N, class S, bool kOfLanes>
class Panel {
 public:
  static constexpr int kWidth = kOfLanes ? S::kWidth : S::kRows;

  /// `data`: of the rounds from `begin` on
  PB_SIMD_INLINE Panel(const E* data, const PanelSource<E, N>& source, std::int64_t begin)
      : data_(data), begin_(begin), source_(source) {
    std::int64_t scale = 1;
    for (int d = 0; d < N; ++d) {
      if (d == source.walked) continue;
      scales_[d] = scale;
      scale *= source.sizes[d];
    }
    scales_[source.walked] = scale;
    begin_ = begin * scale;
  }
  /// Where the cells of an instance at these indices begin.
  template <class... I>
  [[nodiscard]] PB_SIMD_INLINE const E* at(I... indices) const {
    const std::int64_t given[] = {static_cast<std::int64_t>(indices)...};
    std::int64_t cell = -begin_;
    for (int d = 0; d < N; ++d) cell += N == 1 ? given[d] : given[d] * scales_[d];
    return data_ + cell * kWidth;
  }
  [[nodiscard]] PB_SIMD_INLINE IndexT size(int d) const { return source_.sizes[d]; }

 private:
  const E* data_;
  std::int64_t begin_;  ///< cells before the first one of the panel
  std::int64_t scales_[N];
  const PanelSource<E, N>& source_;
};

/// What one vector of a tile reads of a panel.
template <int kPart, class E, int N, class S, bool kOfLanes>
struct PanelPart {
  const Panel<E, N, S, kOfLanes>& panel;
  using Values = Pack<E, PartOf<S>>;
  using Unaligned = typename detail::VectorType<E, S::kLanes>::Unaligned;

  template <class... I>
  [[nodiscard]] PB_SIMD_INLINE Values cell(I... indices) const {
    const E* const cells = panel.at(indices...);
    Values out;
    if constexpr (kOfLanes) {
      out.v[0] = *reinterpret_cast<const Unaligned*>(cells + kPart % S::kPacks * S::kLanes);
    } else {
      out.v[0] = cells[kPart / S::kPacks] - typename Values::Vector{};
    }
    return out;
  }
  [[nodiscard]] PB_SIMD_INLINE IndexT size(int d) const { return panel.size(d); }
  [[nodiscard]] PB_SIMD_INLINE IndexT width() const { return panel.size(0); }
  [[nodiscard]] PB_SIMD_INLINE IndexT height() const { return panel.size(N > 1 ? 1 : 0); }
  [[nodiscard]] PB_SIMD_INLINE IndexT depth() const { return panel.size(N > 2 ? 2 : 0); }
  [[nodiscard]] PB_SIMD_INLINE std::int64_t count() const {
    std::int64_t out = 1;
    for (int d = 0; d < N; ++d) out *= panel.size(d);
    return out;
  }
};
template <int kPart, class E, int N, class S, bool kOfLanes>
[[nodiscard]] PB_SIMD_INLINE PanelPart<kPart, E, N, S, kOfLanes> part(const Panel<E, N, S, kOfLanes>& panel) {
  return {panel};
}

namespace detail {

/// The panels of one input for a block: one per tile.
template <class S, bool kOfLanes, class E, int N>
class PanelBlock {
 public:
  static constexpr int kWidth = kOfLanes ? S::kWidth : S::kRows;

  PanelBlock(const PanelSource<E, N>& source, std::int64_t extent, std::int64_t num_rounds)
      : source_(source), cells_(source.cells_per_round()) {
    bytes_ = in_lines(static_cast<std::size_t>(num_tiles(extent, kWidth) * num_rounds * cells_ * kWidth) * sizeof(E));
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void place_at(std::byte*& memory) {
    data_ = reinterpret_cast<E*>(memory);
    memory += bytes_;
  }
  /// Copies what the rounds from `first_round` to `last_round` read of the instances from `begin` to `end`, tile by
  /// tile. `origin` is the instance at which the source begins.
  void copy(std::int64_t begin, std::int64_t end, std::int64_t origin, std::int64_t first_round,
            std::int64_t last_round) {
    first_round_ = first_round;
    panel_ = (last_round - first_round) * cells_ * kWidth;
    // Where neighbours lie side by side, a few rounds of all tiles before the next ones: rows of memory are read whole.
    constexpr std::int64_t kFewRounds = 8;
    const std::int64_t some = source_.step == 1 ? kFewRounds : last_round - first_round;
    for (std::int64_t round = first_round; round < last_round; round += some)
      for (std::int64_t t = 0; t < num_tiles(end - begin, kWidth); ++t)
        copy_panel<kWidth>(data_ + t * panel_ + (round - first_round) * cells_ * kWidth, source_,
                           tile_begin(begin, end, t, kWidth) - origin, round, std::min(round + some, last_round));
  }
  [[nodiscard]] PB_SIMD_INLINE Panel<E, N, S, kOfLanes> of_tile(std::int64_t tile) const {
    return {data_ + tile * panel_, source_, first_round_};
  }

 private:
  const PanelSource<E, N>& source_;
  std::int64_t cells_;
  std::size_t bytes_;
  E* data_ = nullptr;
  std::int64_t panel_ = 0;  ///< elements of a panel
  std::int64_t first_round_ = 0;
};

/// Bytes that an instance reads of the sources per round.
template <class... E, int... N>
[[nodiscard]] std::int64_t bytes_per_round(const std::tuple<PanelSource<E, N>...>& sources) {
  return std::apply(
      [](const auto&... source) {
        return (std::int64_t{0} + ... + (source.cells_per_round() * static_cast<std::int64_t>(sizeof(E))));
      },
      sources);
}

template <class S, bool kOfLanes, class... E, int... N>
auto panel_blocks(const std::tuple<PanelSource<E, N>...>& sources, std::int64_t extent, std::int64_t num_rounds) {
  return std::apply(
      [&](const auto&... source) {
        return std::tuple<PanelBlock<S, kOfLanes, E, N>...>(
            PanelBlock<S, kOfLanes, E, N>(source, extent, num_rounds)...);
      },
      sources);
}

}  // namespace detail
}  // namespace pbrt::simd
