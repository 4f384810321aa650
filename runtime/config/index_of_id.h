// SPDX-License-Identifier: MIT
// Numbers of sites, tunables and transforms as indices of tables. Private to runtime/config.
#pragma once

#include <cstddef>

namespace pbrt {

/// Pre: id >= 0
[[nodiscard]] constexpr std::size_t at(int id) { return static_cast<std::size_t>(id); }

}  // namespace pbrt
