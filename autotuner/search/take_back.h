// SPDX-License-Identifier: MIT
// Near the end of a search: what the winner has otherwise than the default, without being faster for it, is taken back.
// See Note [Why little stays].
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autotuner/search/finals_context.h"

namespace pbtune {

/// Differences from the default, each as what taking it back would change, and how many times slower the winner would
/// be.
using Losses = std::vector<std::pair<std::string, double>>;

/// Takes back what `winner` has otherwise than the default, one thing after the other, where nothing is lost by it.
/// Returns what is lost without what stays.
///
/// Pre:     `winner` has times
/// Errors:  throws Interrupted, pbrt::RuntimeError
[[nodiscard]] Losses take_back(const FinalsContext& context, Candidate& winner);

}  // namespace pbtune
