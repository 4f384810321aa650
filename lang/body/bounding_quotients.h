// SPDX-License-Identifier: MIT
// Whether quotients and roots bound the time of a body's loops when they run on packs. Multiplications may make them
// then (runtime/matrix/quotients/quotients.h).
#pragma once

#include <vector>

#include "lang/body/body.h"

namespace pb {

/// Whether the expression is a quotient of floating-point numbers for which processors divide. Compilers multiply where
/// the divisor is written as a power of two.
[[nodiscard]] bool is_division(const Body& body, const BodyTypes& types, ExprId id);

/// Returns whether, in the innermost loops of `root`, dividers would be busy longer than what adds and multiplies.
/// `root` may be a loop itself; if it has no loops, its statements count. `is_varying` says by ExprId what differs
/// between the lanes of a pack, and so takes vectors. `a /= b` counts as any other operator.
[[nodiscard]] bool has_bounding_quotients(const Body& body, const BodyTypes& types, StmtId root,
                                          const std::vector<bool>& is_varying);

}  // namespace pb
