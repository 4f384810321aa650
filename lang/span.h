// SPDX-License-Identifier: MIT
// Positions in source files. Used by every compiler stage: every node of every
// tree carries a Span, and synthesised nodes carry the span of what caused them.
#pragma once

#include <compare>
#include <cstdint>

namespace pb {

/// Index of a file in the SourceManager (lang/source.h).
enum class FileId : std::uint32_t {};
inline constexpr FileId kNoFile{0xffffffffu};

/// Half-open range of bytes [begin, end) of one file.
struct Span {
  FileId file = kNoFile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] constexpr bool is_known() const { return file != kNoFile; }
  auto operator<=>(const Span&) const = default;
};

/// The smallest span that holds both; `a` where the two lie in different files.
[[nodiscard]] constexpr Span join(Span a, Span b) {
  if (!b.is_known() || a.file != b.file) return a;
  return {a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

}  // namespace pb
