// SPDX-License-Identifier: MIT
// Numbers that say which form the loops of a CPU version have. They are tunables: pbc knows the defaults and the
// ranges, the runtime what the numbers mean, and pbtune which words people read.
#pragma once

#include <cstdint>

namespace pb {

/// Whether a form of loops, or a kind of stores, is used.
enum class SizeRule : std::uint8_t {
  Never,
  BySize,  ///< if a matrix that the loops write is larger than caches
  Always,
};
[[nodiscard]] constexpr const char* to_string(SizeRule rule) {
  switch (rule) {
    case SizeRule::Never:
      return "never";
    case SizeRule::BySize:
      return "by size";
    case SizeRule::Always:
      return "always";
  }
  return "?";
}
/// Whether a rule that a configuration gives as a number says yes.
[[nodiscard]] constexpr bool applies(std::int64_t rule, bool is_large) {
  return rule == static_cast<std::int64_t>(SizeRule::Always) ||
         (is_large && rule == static_cast<std::int64_t>(SizeRule::BySize));
}

/// Columns of a strip: four lines of doubles, and few enough lines across the rows that a first-level cache holds them.
inline constexpr int kStripColumns = 32;
/// Cache lines along a row between the one that a block of it asks for and the one that is in use.
inline constexpr int kRowLinesAhead = 16;
/// Cache lines between what a loop asks for and what it reads in order, if it also reads at computed places: 256
/// doubles.
inline constexpr int kReadLinesAhead = 32;

/// Instances of a chunk of a scan: near caches hold what they read and write.
inline constexpr int kScanChunk = 8192;
/// The most that a configuration may say.
inline constexpr int kMostScanChunk = 1 << 24;

/// The most rows of a band of versions that a configuration may say.
inline constexpr int kMostTimeRows = 1 << 16;

/// The most cells of rows that packs copy side by side: first-level caches hold the copies.
inline constexpr int kMostRowCells = 64;

/// The most columns of a strip, and the most cache lines ahead, that a configuration may say.
inline constexpr int kMostStripColumns = 1024;
inline constexpr int kMostLinesAhead = 1024;

}  // namespace pb
