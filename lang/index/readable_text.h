// SPDX-License-Identifier: MIT
// Prints integer expressions as a header would spell them, for messages and pictures. The Plan's own text form is
// to_string.
#pragma once

#include <string>

#include "lang/index/index_expr.h"

namespace pb {

/// `2*(n/2)` for `2*floord(n, 2)`: in headers, division rounds to minus infinity.
[[nodiscard]] std::string readable_text(const IndexExpr& expr);

}  // namespace pb
