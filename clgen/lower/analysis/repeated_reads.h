// SPDX-License-Identifier: MIT
// Finds inputs whose cells an instance reads again and again, so that a copy of them in a better order pays off.
#pragma once

#include <cstddef>

#include "lang/program.h"

namespace pb {

/// Whether some loop of the rule's body reads the same cells of the input in each of its rounds. False where that is
/// not seen.
[[nodiscard]] bool reads_again(const Rule& rule, std::size_t input);

}  // namespace pb
