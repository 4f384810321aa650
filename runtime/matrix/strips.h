// SPDX-License-Identifier: MIT
// Loops in strips, for generated code: rows x columns of instances run strip by strip, kStrip columns at a time and all rows of
// each. What moves along the rows touches a few whole lines per row and strip; what moves across them touches kStrip lines
// that the next rows use on. Processors guess neither, so both are asked for ahead of their use.
#pragma once

#include <cstdint>

#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/view.h"

namespace pbrt {

/// Columns of a strip: four lines of doubles, and few enough lines across the rows that a first-level cache holds them.
inline constexpr std::int64_t kStrip = 32;

/// Elements of a matrix that a second-level cache may hold beside another one: asking ahead for those only costs.
inline constexpr std::int64_t kMaxNear = std::int64_t{1} << 17;

namespace detail {
/// Elements of a line; for smaller ones some are asked for twice.
inline constexpr std::int64_t kLine = 8;
/// How many rows ahead lines are asked for: those along a row all the time, those across the rows when a line is through.
inline constexpr std::int64_t kRowsAheadAlong = 8;
inline constexpr std::int64_t kRowsAheadAcross = 16;
}  // namespace detail

/// First column of the strip and the end of all columns.
struct StripColumns {
  std::int64_t strip, hi;
};
/// The row that begins and all rows.
struct StripRows {
  std::int64_t row, lo, hi;
};

/// Asks for what rows that come soon need, in this strip or at the beginning of the next one. `along(column, row)` asks for what moves
/// along a row, `across(column, row)` for what moves across the rows.
template <class Along, class Across>
PB_PREFETCHES inline void prefetch_for_strip(const StripColumns columns, const StripRows rows, const Along& along, const Across& across) {
  const auto ahead = [&](const std::int64_t num_rows, const std::int64_t step, const auto& ask) PB_PREFETCHES {
    const bool is_next = rows.row + num_rows >= rows.hi;
    const std::int64_t row = rows.row + num_rows - (is_next ? rows.hi - rows.lo : 0);
    const std::int64_t first = columns.strip + (is_next ? kStrip : 0);
    if (row >= rows.hi || first + kStrip > columns.hi) return;
    for (std::int64_t k = 0; k < kStrip; k += step) ask(static_cast<IndexT>(first + k), static_cast<IndexT>(row));
  };
  ahead(detail::kRowsAheadAlong, detail::kLine, along);
  if ((rows.row - rows.lo) % detail::kLine == 0) ahead(detail::kRowsAheadAcross, 1, across);
}

}  // namespace pbrt
