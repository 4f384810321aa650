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
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>

#include "base/loop_forms.h"
#include "runtime/matrix/blocks/panels.h"

namespace pbrt::simd {

/// Instances and rounds of a contraction.
struct BlockRange {
  IndexT lane_begin, lane_end;
  IndexT row_begin, row_end;
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

}  // namespace detail

/// The instances and rounds of `range` in blocks. `tile(rounds, place, lane panels…, row panels…)` runs rounds of one
/// tile, with a panel for each of the sources in their order. The regions of the sources are those of the instance at
/// lane_begin and row_begin.
///
/// Pre: the range has at least S::kWidth lanes and S::kRows rows; instances are independent; `state_bytes` holds the
///      accumulators of a tile
template <class S, class... OfLanes, class... OfRows, class Tile>
PB_SIMD_INLINE void for_each_tile(const BlockRange& range, std::size_t state_bytes,
                                  const std::tuple<OfLanes...>& of_lanes, const std::tuple<OfRows...>& of_rows,
                                  Tile tile) {
  const std::int64_t num_rounds = std::max<std::int64_t>(0, range.round_end - range.round_begin);
  const std::int64_t num_lanes = range.lane_end - range.lane_begin;
  const std::int64_t num_rows = range.row_end - range.row_begin;
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
