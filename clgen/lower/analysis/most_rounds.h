// SPDX-License-Identifier: MIT
// How many rounds a fold has at most, where the text of its limits says it. It decides about defaults only.
#pragma once

#include <cstdint>
#include <optional>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb {

/// Returns a number of rounds that the loop does not exceed: 8 for one from `8 * p` to `min(n, 8 * (p + 1))`. None if
/// the limits do not differ by a constant.
[[nodiscard]] std::optional<std::int64_t> most_rounds(const Body& body, const Fold& fold);

}  // namespace pb
