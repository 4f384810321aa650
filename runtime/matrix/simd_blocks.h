// SPDX-License-Identifier: MIT
// Contractions (choicegraph/plan/contraction.h) in blocks: a tile of instances keeps its accumulators in registers, and
// runs the rounds of its fold block by block. What a block reads of an input is copied before to panels, which are read
// from front to back and lie in a cache. Each instance adds up in the order of the source. Only generated code includes
// this.
//
// A tile has kRows rows of kPacks vectors. A panel of the lanes holds, for each round, the cells of the kWidth columns
// of a tile side by side; one of the rows holds those of its rows. The order of the loops, from outside: blocks of
// columns, blocks of rounds, blocks of rows, tiles. Panels of the lanes are copied once per block of columns and
// rounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/loop_forms.h"
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
    IndexT at[] = {static_cast<IndexT>(indices)..., 0};
    if constexpr (kLaneStep == 1) at[0] += kPart % S::kPacks * S::kLanes;
    if constexpr (kRowDim >= 0) at[kRowDim] += kPart / S::kPacks;
    return cell_at(at, std::make_index_sequence<sizeof...(I)>());
  }
  [[nodiscard]] PB_SIMD_INLINE IndexT size(int d) const { return lanes.size(d); }
  [[nodiscard]] PB_SIMD_INLINE IndexT width() const { return lanes.width(); }
  [[nodiscard]] PB_SIMD_INLINE IndexT height() const { return lanes.height(); }
  [[nodiscard]] PB_SIMD_INLINE IndexT depth() const { return lanes.depth(); }
  [[nodiscard]] PB_SIMD_INLINE std::int64_t count() const { return lanes.count(); }

 private:
  template <std::size_t... D>
  [[nodiscard]] PB_SIMD_INLINE auto cell_at(const IndexT* at, std::index_sequence<D...>) const {
    return Lanes<View, PartOf<S>, kLaneStep, kRowDim>{lanes.view}.cell(at[D]...);
  }
};
template <int kPart, class View, class S, int kLaneStep, int kRowDim>
[[nodiscard]] PB_SIMD_INLINE LanesPart<kPart, S, View, kLaneStep, kRowDim> part(
    const Lanes<View, S, kLaneStep, kRowDim>& lanes) {
  return {lanes};
}

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

/// Copies `count` cells of each of kWidth instances side by side: cell i of instance j to `to[i * kWidth + j]`.
template <int kWidth, class E>
inline void copy_side_by_side(E* to, const E* from, std::int64_t step, std::int64_t stride, std::int64_t count) {
  if (step == 1) {
    for (std::int64_t i = 0; i < count; ++i)
      for (int j = 0; j < kWidth; ++j) to[i * kWidth + j] = cell_of(from + i * stride + j);
    return;
  }
  // In squares, so that what is read and what is written stay in the nearest cache.
  constexpr int kSquare = 8;
  std::int64_t i = 0;
  for (; i + kSquare <= count; i += kSquare)
    for (int j = 0; j < kWidth; ++j) {
      const E* const cells = from + j * step + i * stride;
      for (int s = 0; s < kSquare; ++s) to[(i + s) * kWidth + j] = cell_of(cells + s * stride);
    }
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
  if constexpr (N == 1) {
    copy_side_by_side<kWidth>(to, first + begin * walk, source.step, walk, end - begin);
  } else {
    // Round by round; within a round, dimension by dimension, the first one fastest.
    const std::int64_t num_cells = source.cells_per_round();
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

/// Instances and rounds of a contraction.
struct BlockRange {
  IndexT lane_begin, lane_end;
  IndexT row_begin, row_end;
  std::int64_t round_begin, round_end;
};

/// The place of a tile.
struct TilePlace {
  IndexT lane, row;  ///< of its first instance
  /// At the end of a row or column, a tile overlaps the one before, which stores these lanes and rows.
  int skip_lanes, skip_rows;
};

/// Stores the values of a tile at the indices, after its last rounds.
template <class Cells, class T, class S, class... I>
PB_SIMD_INLINE void finish_tile(const TileRounds<S>& rounds, const TilePlace& place, const Cells& cells,
                                const Pack<T, S>& values, I... indices) {
  if (!rounds.is_last) return;
  if (place.skip_lanes == 0 && place.skip_rows == 0) [[likely]]
    return cells.store(typename Cells::Values(values), indices...);
  cells.store_from(typename Cells::Values(values), place.skip_lanes, place.skip_rows, indices...);
}

/// Blocks of so many columns, rows and rounds: the panels of a tile lie in a first-level cache, all of them in the next
/// one.
struct BlockSizes {
  std::int64_t lanes = 480, rows = 96, rounds = 256;
};

namespace detail {

/// Memory of a thread that is used again by the next call.
class Scratch {
 public:
  /// Returns memory for so many bytes, aligned to cache lines. What was there before is lost.
  [[nodiscard]] std::byte* get(std::size_t bytes) {
    if (bytes > size_) {
      memory_.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment)));
      size_ = bytes;
    }
    return memory_.get();
  }
  [[nodiscard]] static Scratch& of_thread() {
    thread_local Scratch scratch;
    return scratch;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

[[nodiscard]] constexpr std::int64_t num_tiles(std::int64_t extent, int width) { return (extent + width - 1) / width; }
/// Where tile `number` of [begin, end) begins: the last one ends at `end`.
[[nodiscard]] constexpr std::int64_t tile_begin(std::int64_t begin, std::int64_t end, std::int64_t number, int width) {
  return std::min(begin + number * width, end - width);
}
[[nodiscard]] constexpr std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

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
  /// Copies the panels of the tiles that lie in [first, last) of the instances from `begin` to `end`.
  void copy(std::int64_t begin, std::int64_t end, std::int64_t origin, std::int64_t first_round,
            std::int64_t last_round) {
    first_round_ = first_round;
    panel_ = (last_round - first_round) * cells_ * kWidth;
    for (std::int64_t t = 0; t < num_tiles(end - begin, kWidth); ++t)
      copy_panel<kWidth>(data_ + t * panel_, source_, tile_begin(begin, end, t, kWidth) - origin, first_round,
                         last_round);
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

/// The instances and rounds of `range` in blocks. `tile(rounds, place, lane panels…, row panels…)` runs rounds of one
/// tile, with a panel for each of the sources in their order. The regions of the sources are those of the instance at
/// lane_begin and row_begin.
///
/// Pre: the range has at least S::kWidth lanes and S::kRows rows; instances are independent; `state_bytes` holds the
///      accumulators of a tile
template <class S, class... OfLanes, class... OfRows, class Tile>
PB_SIMD_INLINE void for_each_tile(const BlockRange& range, const BlockSizes& sizes, std::size_t state_bytes,
                                  const std::tuple<OfLanes...>& of_lanes, const std::tuple<OfRows...>& of_rows,
                                  Tile tile) {
  const std::int64_t num_rounds = std::max<std::int64_t>(0, range.round_end - range.round_begin);
  const std::int64_t block_rounds = std::min(num_rounds, sizes.rounds);
  const std::int64_t block_lanes = std::max<std::int64_t>(S::kWidth, sizes.lanes / S::kWidth * S::kWidth);
  const std::int64_t block_rows = std::max<std::int64_t>(S::kRows, sizes.rows / S::kRows * S::kRows);
  const std::int64_t num_lanes = range.lane_end - range.lane_begin;
  const std::int64_t num_rows = range.row_end - range.row_begin;
  const std::int64_t row_tiles = detail::num_tiles(num_rows, S::kRows);
  const std::int64_t most_lanes = std::min(num_lanes, block_lanes);
  auto lane_panels = detail::panel_blocks<S, true>(of_lanes, most_lanes, block_rounds);
  auto row_panels = detail::panel_blocks<S, false>(of_rows, std::min(num_rows, block_rows), block_rounds);
  const bool has_state = block_rounds < num_rounds;
  const std::size_t states = has_state
                                 ? detail::in_lines(state_bytes) *
                                       static_cast<std::size_t>(row_tiles * detail::num_tiles(most_lanes, S::kWidth))
                                 : 0;
  std::size_t bytes = states;
  std::apply([&](const auto&... each) { ((bytes += each.bytes()), ...); }, lane_panels);
  std::apply([&](const auto&... each) { ((bytes += each.bytes()), ...); }, row_panels);
  std::byte* memory = detail::Scratch::of_thread().get(bytes);
  std::byte* const first_state = memory;
  memory += states;
  std::apply([&](auto&... each) { (each.place_at(memory), ...); }, lane_panels);
  std::apply([&](auto&... each) { (each.place_at(memory), ...); }, row_panels);

  for (std::int64_t x = range.lane_begin; x < range.lane_end; x += block_lanes) {
    // A block that is narrower than a tile begins earlier: its one tile overlaps the block before.
    const std::int64_t x_end = std::min<std::int64_t>(x + block_lanes, range.lane_end);
    const std::int64_t x_begin = std::min(x, x_end - S::kWidth);
    const std::int64_t lane_tiles = detail::num_tiles(x_end - x_begin, S::kWidth);
    std::int64_t round = range.round_begin;
    do {
      const std::int64_t last_round = std::min(round + block_rounds, range.round_end);
      std::apply([&](auto&... each) { (each.copy(x_begin, x_end, range.lane_begin, round, last_round), ...); },
                 lane_panels);
      for (std::int64_t y = range.row_begin; y < range.row_end; y += block_rows) {
        const std::int64_t y_end = std::min<std::int64_t>(y + block_rows, range.row_end);
        const std::int64_t y_begin = std::min(y, y_end - S::kRows);
        const std::int64_t tiles = detail::num_tiles(y_end - y_begin, S::kRows);
        std::apply([&](auto&... each) { (each.copy(y_begin, y_end, range.row_begin, round, last_round), ...); },
                   row_panels);
        for (std::int64_t i = 0; i < lane_tiles; ++i)
          for (std::int64_t j = 0; j < tiles; ++j) {
            const std::int64_t lane = detail::tile_begin(x_begin, x_end, i, S::kWidth);
            const std::int64_t row = detail::tile_begin(y_begin, y_end, j, S::kRows);
            const auto skip = [](std::int64_t wanted, std::int64_t at) { return static_cast<int>(wanted - at); };
            const TilePlace place{static_cast<IndexT>(lane), static_cast<IndexT>(row),
                                  skip(std::max(x, x_begin + i * S::kWidth), lane),
                                  skip(std::max(y, y_begin + j * S::kRows), row)};
            const std::int64_t state = ((y - range.row_begin) / S::kRows + j) * lane_tiles + i;
            const TileRounds<S> rounds{round, last_round, round == range.round_begin, last_round >= range.round_end,
                                       first_state + static_cast<std::size_t>(state) * detail::in_lines(state_bytes)};
            std::apply(
                [&](const auto&... lanes) PB_SIMD_LAMBDA {
                  std::apply([&](const auto&... rows)
                                 PB_SIMD_LAMBDA { tile(rounds, place, lanes.of_tile(i)..., rows.of_tile(j)...); },
                             row_panels);
                },
                lane_panels);
          }
      }
      round = last_round;
    } while (round < range.round_end);
  }
}

/// Instances and rounds from which on blocks pay off by default: copies cost little beside what they save.
inline constexpr std::int64_t kFewRounds = 16;
inline constexpr std::int64_t kFewBlockCells = 1 << 15;

/// Whether the range runs in tiles of shape S, as `rule`, a SizeRule, says.
template <class S>
[[nodiscard]] PB_SIMD_INLINE bool suits_tiles(const BlockRange& range, std::int64_t rule) {
  const std::int64_t lanes = range.lane_end - range.lane_begin;
  const std::int64_t rows = range.row_end - range.row_begin;
  const std::int64_t rounds = range.round_end - range.round_begin;
  if (lanes < S::kWidth || rows < S::kRows) return false;
  return pb::applies(rule, rounds >= kFewRounds && lanes * rows * rounds >= kFewBlockCells);
}

}  // namespace pbrt::simd
