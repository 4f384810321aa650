// SPDX-License-Identifier: MIT
// What a `.cell` input stands for if its coordinates lie outside of the matrix (docs/reference/language.md 5.7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace pb {

enum class Border : std::uint8_t {
  None,      ///< such instances do not exist
  Default,   ///< `= FORMULA`: a value
  Optional,  ///< `= OPTIONAL`: nothing, as IS_MISSING tells
  Wrap,      ///< the cell at the coordinate modulo the extent
  Clamp,     ///< the nearest cell
  Mirror,    ///< reflected at the first and the last cell, which are not repeated
};

/// The borders that map each coordinate to one inside, with their words.
inline constexpr std::array<std::pair<std::string_view, Border>, 3> kBorderWords = {
    {{"wrap", Border::Wrap}, {"clamp", Border::Clamp}, {"mirror", Border::Mirror}}};

[[nodiscard]] constexpr bool maps_cells(Border border) { return border >= Border::Wrap; }

[[nodiscard]] constexpr std::optional<Border> find_border(std::string_view word) {
  for (const auto& [spelled, border] : kBorderWords)
    if (spelled == word) return border;
  return std::nullopt;
}

/// The function that maps a coordinate, as the runtime (`pbrt::wrapped`) and kernels (`pb_wrapped`) call it; of other
/// borders: empty.
[[nodiscard]] constexpr std::string_view function_of(Border border) {
  if (border == Border::Wrap) return "wrapped";
  if (border == Border::Clamp) return "clamped";
  return border == Border::Mirror ? "mirrored" : "";
}

/// The word of a border that maps cells; else empty.
[[nodiscard]] constexpr std::string_view word_of(Border border) {
  for (const auto& [spelled, one] : kBorderWords)
    if (one == border) return spelled;
  return {};
}

}  // namespace pb
