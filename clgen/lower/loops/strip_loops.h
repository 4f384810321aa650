// SPDX-License-Identifier: MIT
// Pass: loops over instances whose cells move across the rows, such as transpositions, run in strips.
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns strips that replace the two innermost loops; none if no cell of the rule moves across the rows.
[[nodiscard]] std::optional<Strips> find_strips(const RuleShape& rule, const Step& step);

}  // namespace pb
