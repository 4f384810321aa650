// SPDX-License-Identifier: MIT
// Contractions (choicegraph/plan/contraction.h) in blocks: a tile of instances keeps its accumulators in registers, and
// runs the rounds of its fold block by block. What a block reads of an input is copied before to panels, which are read
// from front to back and lie in a cache. Each instance adds up in the order of the source. Only generated code includes
// this.
//
// The order of the loops, from outside: blocks of columns, blocks of rounds, blocks of rows, tiles. Panels of the lanes
// are copied once per block of columns and rounds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>

#include "base/loop_forms.h"
#include "runtime/matrix/blocks/panels.h"
#include "runtime/matrix/blocks/piece_borders.h"

namespace pbrt::simd {

/// Instances and rounds of a contraction.
struct BlockRange {
  TileBox box;
  std::int64_t round_begin, round_end;
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

/// The spans of lanes that a tile stores: the instances among its points in `own`.
template <class S, int N>
std::array<LaneSpan, S::kRows> spans_of(const Borders<N>& borders, const TileBox& own, std::int64_t lane,
                                        std::int64_t row) {
  std::array<LaneSpan, S::kRows> out{};
  for (std::int64_t y = own.row_begin; y < own.row_end; ++y) {
    const LaneSpan span = borders.lanes_of(y, {own.lane_begin, own.lane_end});
    out[static_cast<std::size_t>(y - row)] = {span.begin - lane, span.end - lane};
  }
  return out;
}

/// Calls `run(place)` for the tile at a lane and a row, unless it has no instances. `own` are the points that no other
/// tile runs.
template <class S, int N, class Run>
PB_SIMD_INLINE void place_tile(const Borders<N>& borders, const TileBox& own, std::int64_t lane, std::int64_t row,
                               Run run) {
  if (borders.exclude(own)) return;
  TilePlace place{static_cast<IndexT>(lane), static_cast<IndexT>(row), nullptr};
  std::array<LaneSpan, S::kRows> spans;
  if (own.lane_begin != lane || own.row_begin != row || !borders.surround(own)) [[unlikely]] {
    spans = spans_of<S>(borders, own, lane, row);
    place.stored = spans.data();
  }
  run(place);
}

}  // namespace detail

/// The instances and rounds of `range` in blocks: those of its points that `borders` surround. `tile(rounds, place,
/// lane panels…, row panels…)` runs rounds of one tile, with a panel for each of the sources in their order. The
/// regions of the sources are those of the first lane and the first row. A tile that a border crosses runs all of its
/// points, and stores the instances.
///
/// Pre: the range has at least S::kWidth lanes and S::kRows rows, each with an instance; instances are independent;
///      `state_bytes` holds the accumulators of a tile
template <class S, int N, class... OfLanes, class... OfRows, class Tile>
PB_SIMD_INLINE void for_each_tile(const BlockRange& range, const Borders<N>& borders, std::size_t state_bytes,
                                  const std::tuple<OfLanes...>& of_lanes, const std::tuple<OfRows...>& of_rows,
                                  Tile tile) {
  const TileBox& box = range.box;
  const std::int64_t num_rounds = std::max<std::int64_t>(0, range.round_end - range.round_begin);
  const std::int64_t num_lanes = box.lane_end - box.lane_begin;
  const std::int64_t num_rows = box.row_end - box.row_begin;
  const BlockSizes most =
      block_sizes(detail::bytes_per_round(of_lanes), detail::bytes_per_round(of_rows), second_cache_bytes());
  const std::int64_t block_rounds = num_rounds == 0 ? 0 : equal_part(num_rounds, most.rounds, 1);
  const std::int64_t block_lanes = equal_part(num_lanes, most.lanes, S::kWidth);
  const std::int64_t block_rows = equal_part(num_rows, most.rows, S::kRows);
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

  for (std::int64_t x = box.lane_begin; x < box.lane_end; x += block_lanes) {
    // A block that is narrower than a tile begins earlier: its one tile overlaps the block before.
    const std::int64_t x_end = std::min(x + block_lanes, box.lane_end);
    const std::int64_t x_begin = std::min(x, x_end - S::kWidth);
    const std::int64_t lane_tiles = detail::num_tiles(x_end - x_begin, S::kWidth);
    std::int64_t round = range.round_begin;
    do {
      const std::int64_t last_round = std::min(round + block_rounds, range.round_end);
      std::apply([&](auto&... each) { (each.copy(x_begin, x_end, box.lane_begin, round, last_round), ...); },
                 lane_panels);
      for (std::int64_t y = box.row_begin; y < box.row_end; y += block_rows) {
        const std::int64_t y_end = std::min(y + block_rows, box.row_end);
        const std::int64_t y_begin = std::min(y, y_end - S::kRows);
        if (borders.exclude({x, x_end, y, y_end})) continue;
        const std::int64_t tiles = detail::num_tiles(y_end - y_begin, S::kRows);
        std::apply([&](auto&... each) { (each.copy(y_begin, y_end, box.row_begin, round, last_round), ...); },
                   row_panels);
        for (std::int64_t i = 0; i < lane_tiles; ++i)
          for (std::int64_t j = 0; j < tiles; ++j) {
            const std::int64_t lane = detail::tile_begin(x_begin, x_end, i, S::kWidth);
            const std::int64_t row = detail::tile_begin(y_begin, y_end, j, S::kRows);
            const TileBox own{std::max(x, x_begin + i * S::kWidth), lane + S::kWidth,
                              std::max(y, y_begin + j * S::kRows), row + S::kRows};
            const std::int64_t state = ((y - box.row_begin) / S::kRows + j) * lane_tiles + i;
            const TileRounds<S> rounds{round, last_round, round == range.round_begin, last_round >= range.round_end,
                                       first_state + static_cast<std::size_t>(state) * detail::in_lines(state_bytes)};
            detail::place_tile<S>(borders, own, lane, row, [&](const TilePlace& place) PB_SIMD_LAMBDA {
              std::apply(
                  [&](const auto&... lanes) PB_SIMD_LAMBDA {
                    std::apply([&](const auto&... rows)
                                   PB_SIMD_LAMBDA { tile(rounds, place, lanes.of_tile(i)..., rows.of_tile(j)...); },
                               row_panels);
                  },
                  lane_panels);
            });
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
  const std::int64_t lanes = range.box.lane_end - range.box.lane_begin;
  const std::int64_t rows = range.box.row_end - range.box.row_begin;
  const std::int64_t rounds = range.round_end - range.round_begin;
  if (lanes < S::kWidth || rows < S::kRows) return false;
  return pb::applies(rule, rounds >= kFewRounds && lanes * rows * rounds >= kFewBlockCells);
}

}  // namespace pbrt::simd
