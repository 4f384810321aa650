// SPDX-License-Identifier: MIT
// The test, in C++, that the rounds of a map may run apart.
#pragma once

#include <string>

#include "choicegraph/plan/computation.h"

namespace pb {

/// Returns a condition for each region that the rounds store to: it shares no memory with the others. Each begins with
/// ` && `; the text is empty if there are no others.
[[nodiscard]] inline std::string apart_text(const MapRegions& regions) {
  std::string out;
  for (std::size_t i = 0; i < regions.stored.size(); ++i) {
    std::string others;
    for (std::size_t k = i + 1; k < regions.stored.size(); ++k) others += ", " + regions.stored[k];
    for (const std::string& name : regions.read) others += ", " + name;
    if (!others.empty()) out += " && pbrt::simd::is_apart_from(" + regions.stored[i] + others + ")";
  }
  return out;
}

}  // namespace pb
