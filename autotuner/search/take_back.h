// SPDX-License-Identifier: MIT
// Takes back, near the end of a search, the winner's differences from the default that do not make it faster. See Note
// [Why little stays].
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autotuner/search/finals_context.h"

namespace pbtune {

/// Differences from the default. Each consists of the words for taking it back, and how many times slower the winner
/// would be without it.
using Losses = std::vector<std::pair<std::string, double>>;

/// Changes what `winner` has otherwise than the default back to the default, one difference after the other, wherever
/// nothing is lost by it. Returns what would be lost by taking back each of the differences that stay.
///
/// Pre:     `winner` has times
/// Errors:  throws Interrupted, pbrt::RuntimeError
[[nodiscard]] Losses take_back(const FinalsContext& context, Candidate& winner);

}  // namespace pbtune
