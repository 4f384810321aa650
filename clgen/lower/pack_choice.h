// SPDX-License-Identifier: MIT
// Which rules run on packs of neighbouring instances (runtime/matrix/simd.h).
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/lower/uniformity.h"

namespace pb {

/// How the step runs on packs; none if its body is not one for packs: its control flow differs between instances, or it
/// does what packs cannot.
///
/// Pre: `step` has loops
[[nodiscard]] std::optional<PackFacts> find_packs(const RuleShape& rule, const Step& step);

/// Whether compilers make better vectors of such a body than packs are: of straight-line code, and where elements are
/// narrow. Then lanes of a pack are as wide as the widest value; compilers compute in as few bytes as values need.
[[nodiscard]] bool is_left_to_compilers(const RuleShape& rule, const PackFacts& facts);

/// Whether an instance may be computed twice: it must not read what it, or a neighbour, has written.
[[nodiscard]] Condition repeat_condition(const RuleShape& rule);

}  // namespace pb
