// SPDX-License-Identifier: MIT
// Jumps of a body that leave its loops: where instances become rounds of a loop (distinct_rounds.h), they would leave
// out rounds of other instances. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "lang/token.h"

namespace pb {

/// Returns the `break`s outside of loops and `switch`, the `continue`s outside of loops, and the `return`s of a body.
/// Those of lambdas are the lambdas' own.
[[nodiscard]] std::vector<Token> jumps_out_of(std::span<const Token> body);

}  // namespace pb
