// SPDX-License-Identifier: MIT
// Loops in strips, for generated code: rows x columns of instances run strip by strip, some columns at a time and all
// rows of each. What moves along the rows touches a few whole lines per row and strip; what moves across them touches
// a line per column that the next rows use on. Processors guess neither, so both are asked for ahead of their use.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/loop_forms.h"
#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/view.h"

/// Stands beside PB_INDEPENDENT before a loop whose number of iterations is known, so that it stays a loop. The vectors
/// of a strip, one after the other, would need more addresses than there are registers.
#if defined(__clang__)
#define PB_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define PB_ROLLED _Pragma("GCC unroll 1")
#endif

namespace pbrt {

/// Columns of a strip, if no configuration says otherwise.
inline constexpr std::int64_t kStrip = pb::kStripColumns;

/// Elements of a matrix that a second-level cache may hold beside another one: asking ahead for those only costs.
inline constexpr std::int64_t kMaxNear = std::int64_t{1} << 17;

namespace detail {
inline constexpr std::uintptr_t kLineBytes = 64;
/// Elements of a cache line of doubles; of smaller elements some are asked for twice.
inline constexpr std::int64_t kLine = 8;
/// A line that lies along a row is asked for so many rows before its use.
inline constexpr std::int64_t kRowsAheadAlong = 8;
/// A line that runs across the rows is asked for so many rows before its use. Such lines are asked for in every eighth
/// row, when the rows before have used up one line per column.
inline constexpr std::int64_t kRowsAheadAcross = 16;
}  // namespace detail

/// A strip begins at column `strip` and has `length` columns; all columns of the loop end before `hi`.
struct StripColumns {
  std::int64_t strip, hi, length = kStrip;
};
/// The rows of a strip are those from `lo` to below `hi`; `row` is the one that begins.
struct StripRows {
  std::int64_t row, lo, hi;
};

namespace detail {
/// prefetch_for_strip for strips of `length` columns.
template <class Along, class Across, class Length>
PB_PREFETCHES inline void prefetch_rows(const StripColumns columns, const StripRows rows, const Along& along,
                                        const Across& across, const Length length) {
  const auto ahead = [&](const std::int64_t num_rows, const std::int64_t step, const auto& ask) PB_PREFETCHES {
    const bool is_next = rows.row + num_rows >= rows.hi;
    const std::int64_t row = rows.row + num_rows - (is_next ? rows.hi - rows.lo : 0);
    const std::int64_t first = columns.strip + (is_next ? length : 0);
    if (row >= rows.hi || first + length > columns.hi) return;
    for (std::int64_t k = 0; k < length; k += step) ask(static_cast<IndexT>(first + k), static_cast<IndexT>(row));
  };
  ahead(kRowsAheadAlong, kLine, along);
  if ((rows.row - rows.lo) % kLine == 0) ahead(kRowsAheadAcross, 1, across);
}
}  // namespace detail

/// Asks for what rows that come soon need, in this strip or at the beginning of the next one. `along(column, row)` asks
/// for what moves along a row, `across(column, row)` for what moves across the rows.
template <class Along, class Across>
PB_PREFETCHES inline void prefetch_for_strip(const StripColumns columns, const StripRows rows, const Along& along,
                                             const Across& across) {
  // Compilers unroll the requests of a strip whose length they know: otherwise a transposition takes 1.07 of the time.
  if (columns.length == kStrip) {
    detail::prefetch_rows(columns, rows, along, across, std::integral_constant<std::int64_t, kStrip>());
  } else {
    detail::prefetch_rows(columns, rows, along, across, columns.length);
  }
}

// ---- Stores past the caches: for matrices that are larger than caches, whose lines would be read before they are
// written. They pay where each line is written as a whole, in few lines at a time: strips are narrower, and begin where
// lines do.

/// Stores to a matrix of so many bytes, or more, go past the caches. From this size on, a step gains at least as much
/// by streaming as the next step, which reads the matrix, loses.
inline constexpr std::int64_t kMinStreamedBytes = std::int64_t{1} << 25;

/// Columns of a strip whose results go past the caches: two lines.
template <class View>
inline constexpr std::int64_t kStreamedStrip = 128 / sizeof(typename View::Element);

/// Whether the elements of a matrix are stored past the caches, by a pb::SizeRule as a number; never if the processor
/// has no such stores for them.
template <class View>
[[nodiscard]] inline bool is_streamed([[maybe_unused]] const View& view, [[maybe_unused]] const std::int64_t rule) {
#ifdef __x86_64__
  constexpr std::size_t kBytes = sizeof(typename View::Element);
  if constexpr (View::kIsUnit && (kBytes == 4 || kBytes == 8))
    return pb::applies(rule, view.bytes() >= kMinStreamedBytes);
#endif
  return false;
}

/// Stores `value` past the caches. Others see it after `end_streams`.
template <class E>
PB_PREFETCHES inline void stream(E& cell, const E value) {
#ifdef __x86_64__
  if constexpr (sizeof(E) == 8) {
    __builtin_ia32_movnti64(reinterpret_cast<long long*>(&cell), std::bit_cast<long long>(value));
  } else if constexpr (sizeof(E) == 4) {
    __builtin_ia32_movnti(reinterpret_cast<int*>(&cell), std::bit_cast<int>(value));
  } else {
    cell = value;
  }
#else
  cell = value;
#endif
}

namespace detail {
typedef long long Words16 __attribute__((vector_size(16), may_alias));
typedef long long Words32 __attribute__((vector_size(32), may_alias));
typedef long long Words64 __attribute__((vector_size(64), may_alias));
}  // namespace detail

/// Stores a vector past the caches. Pre: `cell` is aligned to the vector's size.
template <class V>
PB_PREFETCHES inline void stream_vector(void* cell, const V& value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, static_cast<V*>(cell));
#else
  constexpr std::size_t kBytes = sizeof(V);
#ifdef __AVX512F__
  if constexpr (kBytes == 64)
    return __builtin_ia32_movntdq512(static_cast<detail::Words64*>(cell), reinterpret_cast<detail::Words64>(value));
#endif
#ifdef __AVX__
  if constexpr (kBytes == 32)
    return __builtin_ia32_movntdq256(static_cast<detail::Words32*>(cell), reinterpret_cast<detail::Words32>(value));
#endif
#ifdef __x86_64__
  if constexpr (kBytes == 16)
    return __builtin_ia32_movntdq(static_cast<detail::Words16*>(cell), reinterpret_cast<detail::Words16>(value));
#endif
  std::memcpy(cell, &value, kBytes);
#endif
}

/// Stores whole lines past the caches. Pre: `to` and `lines` begin cache lines
template <class E, std::size_t kCount>
PB_PREFETCHES inline void stream_lines(E* to, const E (&lines)[kCount]) {
#if defined(__AVX512F__)
  using Words = detail::Words64;
#elif defined(__AVX__)
  using Words = detail::Words32;
#else
  using Words = detail::Words16;
#endif
  static_assert(sizeof lines % sizeof(Words) == 0);
  for (std::size_t at = 0; at < sizeof lines; at += sizeof(Words)) {
    Words words;
    std::memcpy(&words, reinterpret_cast<const char*>(lines) + at, sizeof words);
    stream_vector(reinterpret_cast<char*>(to) + at, words);
  }
}

/// Orders streamed values before all later stores.
inline void end_streams() {
#ifdef __x86_64__
  __builtin_ia32_sfence();
#endif
}

/// The first place in [lo, hi) whose element begins a cache line, or hi. `cell` is the element at `lo`.
template <class E>
[[nodiscard]] inline std::int64_t first_line(const E* cell, const std::int64_t lo, const std::int64_t hi) {
  const std::uintptr_t behind = reinterpret_cast<std::uintptr_t>(cell) % detail::kLineBytes;
  const std::uintptr_t skipped = (detail::kLineBytes - behind) % detail::kLineBytes / sizeof(E);
  const std::int64_t first = lo + static_cast<std::int64_t>(skipped);
  return first < hi ? first : hi;
}

/// The column at which a strip begins in one row: the first one from `columns.strip` on whose element begins a line, at
/// most the end of all columns; in the first strip it is `lo`, the first of all columns. `cell` is the element at
/// `columns.strip`.
template <class View>
[[nodiscard]] inline std::int64_t line_start(const StripColumns columns, const std::int64_t lo, const void* cell) {
  using Element = typename View::Element;
  return columns.strip <= lo ? lo : first_line(static_cast<const Element*>(cell), columns.strip, columns.hi);
}

}  // namespace pbrt
