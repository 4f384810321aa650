// SPDX-License-Identifier: MIT
// Nests of several steps that need each other (docs/reference/language.md 6.5). For find_legal_choices.cpp.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// A step, and one that comes after it.
using StepOrder = std::pair<StepId, StepId>;

/// Returns a nest that runs `steps`: slices along one dimension where that is enough, else tiles over all dimensions
/// that the steps share, else slices inside of slices, else slices along another dimension of each step. None if no
/// order was found. Of each pair in `orders` the first step runs before the second one at each point of the nest.
///
/// Reads:   `plan.steps`, `step_sets`
/// Pre:     the steps need each other
[[nodiscard]] std::optional<Nest> find_nest(const Analysis& analysis, const std::vector<StepId>& steps,
                                            const std::vector<StepOrder>& orders = {});

}  // namespace pb::choices
