// SPDX-License-Identifier: MIT
// Requests for elements that a loop of a body reads later, for generated code. In a loop that also reads at computed
// places, processors fetch the elements that it reads in order too late: only few iterations fit into them, and short
// loops end in branches that they guess wrong.
#pragma once

#include <cstdint>

#include "runtime/matrix/view.h"

namespace pbrt {

/// Requests the element that is read some hundred iterations after element `at` of a view: `lines` cache lines further,
/// if neighbours are neighbours in memory. It may lie outside of the matrix. For other kinds of handles nothing
/// happens, since their data may be elsewhere.
template <class View>
PB_PREFETCHES inline void read_ahead([[maybe_unused]] const View& view, [[maybe_unused]] const std::int64_t at,
                                     [[maybe_unused]] const std::int64_t lines) {
  constexpr std::int64_t kLineBytes = 64;
  if constexpr (requires { view.line_of(at); })
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(view.line_of(at)) +
                                                     static_cast<std::uintptr_t>(lines * kLineBytes * view.stride(0))));
}

}  // namespace pbrt
