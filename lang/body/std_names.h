// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace pb {

/// Returns the name without the `std::` that bodies may write before names of the library of C++.
[[nodiscard]] constexpr std::string_view without_std(std::string_view name) {
  return name.starts_with("std::") ? name.substr(5) : name;
}

}  // namespace pb
