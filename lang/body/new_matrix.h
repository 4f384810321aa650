// SPDX-License-Identifier: MIT
// Finds where bodies make matrices: `allocate<T>(sizes…)` and `allocate<T>(region)`. Used for the types of bodies and
// for what is known about their regions.
#pragma once

#include <string_view>

namespace pb {

/// The element word of a callee that makes a new matrix: `long` for `allocate<long>`. Empty for any other callee.
[[nodiscard]] inline std::string_view allocated_element(std::string_view callee) {
  constexpr std::string_view kBegin = "allocate<";
  if (!callee.starts_with(kBegin) || !callee.ends_with('>')) return {};
  return callee.substr(kBegin.size(), callee.size() - kBegin.size() - 1);
}

}  // namespace pb
