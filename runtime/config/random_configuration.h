// SPDX-License-Identifier: MIT
// Parts of the random generator that the tuner's mutators use too.
#pragma once

#include <vector>

#include "runtime/config/info.h"
#include "runtime/config/rng.h"

namespace pbrt {

inline constexpr int kMaxWorkGroupItems = 1024;  ///< every current device allows so many
inline constexpr int kMaxItemsOfWorkItem = 16;   ///< the runtime cuts what is more
inline constexpr int kMaxBlockStages = 2;        ///< panels of an input, where folds run in blocks
inline constexpr int kMaxBlockParts = 1024;      ///< ranges of rounds, likewise; the tuner tries no more
inline constexpr int kMaxBlockItems = 64;        ///< likewise, where folds run in blocks; and the rounds of a block

/// The largest product of the elements of a shape with this role.
[[nodiscard]] int max_product(TunableRole role);
/// A shape of powers of two whose product is at most max_product(), within the tunable's range. Now and then it is
/// zero, where the range has that: the runtime chooses the shape.
[[nodiscard]] std::vector<double> random_shape(const TunableInfo& tunable, Rng& rng);

}  // namespace pbrt
