// SPDX-License-Identifier: MIT
// Pass: contractions run in tiles of instances, and in blocks of rounds.
#pragma once

#include <optional>

#include "choicegraph/plan/contraction.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns what the rule's body is.
[[nodiscard]] std::optional<Contraction> contraction_of(const TransformPlan& plan, const RuleShape& rule);

/// Returns the loops of a step in tiles; an empty block if the step cannot run so, or gains nothing because no two of
/// its rows read the same cells. `contraction` is what the rule's body is.
[[nodiscard]] TreeBlock tile_loops(const RuleShape& rule, const Step& step,
                                   const std::optional<Contraction>& contraction);

}  // namespace pb
