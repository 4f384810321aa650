// SPDX-License-Identifier: MIT
// Which rules run on packs of neighbouring instances (runtime/matrix/simd.h).
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/analysis/uniformity.h"
#include "clgen/lower/tree/condition.h"

namespace pb {

/// Returns how the step runs on packs. Returns none if the control flow of its body differs between instances, if it
/// does something that packs cannot do, or if the body is left to compilers.
///
/// Pre: `step` has loops
[[nodiscard]] std::optional<PackFacts> find_packs(const RuleShape& rule, const Step& step);

/// Whether compilers make better vectors of such a body than packs are. They do for straight-line code, and where
/// elements are narrow: the lanes of a pack are as wide as the widest value, while compilers compute in as few bytes as
/// each value needs.
[[nodiscard]] bool is_left_to_compilers(const RuleShape& rule, const PackFacts& facts);

/// Returns the condition that the packs run: the rule's tunable does not forbid them, and the rows that they copy are
/// short.
[[nodiscard]] Condition condition_of_packs(const RuleShape& rule, const PackFacts& facts);

/// Returns the condition that an instance may be computed twice: it must not read what it, or a neighbour, has written.
[[nodiscard]] Condition repeat_condition(const RuleShape& rule);

}  // namespace pb
