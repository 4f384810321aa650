// SPDX-License-Identifier: MIT
// The sizes of the blocks in which contractions run (tile_loops.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pbrt::simd {

/// Blocks of at most so many columns, rows and rounds.
struct BlockSizes {
  std::int64_t lanes, rows, rounds;
  bool operator==(const BlockSizes&) const = default;
};

/// Returns sizes for contractions of which an instance reads so many bytes per round from the panels of lanes and from
/// those of rows: a panel of the rows lies in a first-level cache, and all panels of a block in a second-level cache of
/// `cache_bytes`.
[[nodiscard]] BlockSizes block_sizes(std::int64_t lane_bytes, std::int64_t row_bytes, std::int64_t cache_bytes);

/// Bytes of the second-level cache of a CPU, and a usual size where the system does not say.
[[nodiscard]] std::int64_t second_cache_bytes();

/// Returns the length of equal parts of `extent`, of which all but the last are multiples of `width`: parts of about
/// `most` or less. A part is a quarter longer if that saves one.
///
/// Pre: extent >= 1, most >= 1, width >= 1
[[nodiscard]] constexpr std::int64_t equal_part(std::int64_t extent, std::int64_t most, std::int64_t width) {
  const std::int64_t longest = most + most / 4;
  const std::int64_t num_parts = (extent + longest - 1) / longest;
  const std::int64_t part = (extent + num_parts - 1) / num_parts;
  return (part + width - 1) / width * width;
}

namespace detail {

[[nodiscard]] constexpr std::int64_t num_tiles(std::int64_t extent, int width) { return (extent + width - 1) / width; }
/// Where tile `number` of [begin, end) begins: the last one ends at `end`.
[[nodiscard]] constexpr std::int64_t tile_begin(std::int64_t begin, std::int64_t end, std::int64_t number, int width) {
  return std::min(begin + number * width, end - width);
}
[[nodiscard]] constexpr std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace detail
}  // namespace pbrt::simd
