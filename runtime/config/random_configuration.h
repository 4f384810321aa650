// SPDX-License-Identifier: MIT
// Parts of the random generator that the tuner's mutators use too.
#pragma once

#include <vector>

#include "runtime/config/info.h"
#include "runtime/config/rng.h"

namespace pbrt {

inline constexpr int kMaxWorkGroupItems = 1024;  ///< every current device allows so many

/// A shape of powers of two whose product is at most kMaxWorkGroupItems, within the tunable's range.
[[nodiscard]] std::vector<double> random_work_group(const TunableInfo& tunable, Rng& rng);

}  // namespace pbrt
