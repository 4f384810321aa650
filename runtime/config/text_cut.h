// SPDX-License-Identifier: MIT
// Where a text may be cut. Used by runtime/embed and by the tuner.
#pragma once

#include <cstddef>
#include <string_view>

namespace pbrt {

/// How many bytes of a text fit into `room` without a part of a letter of UTF-8 at their end; `room` for what is no
/// UTF-8.
[[nodiscard]] inline std::size_t length_that_fits(std::string_view text, std::size_t room) {
  constexpr std::size_t kMaxLetterBytes = 4;
  if (text.size() <= room) return text.size();
  const auto is_within_letter = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  for (std::size_t length = room; length > 0 && length + kMaxLetterBytes > room; --length)
    if (!is_within_letter(length)) return length;
  return room;
}

}  // namespace pbrt
