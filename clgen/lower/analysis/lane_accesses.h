// SPDX-License-Identifier: MIT
// Finds how the accesses of a rule move from instance to instance of a pack.
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

/// Returns what packs need to know of the accesses of a rule: `outputs`, `inputs`, `is_tall`, `writes_regions` and the
/// variables; the rest is about the body and is not set. None if packs cannot follow some access. `all_exist` says that
/// no optional cell is missing where the packs run; otherwise a rule with optional inputs gets none.
///
/// Pre: `step` has loops
[[nodiscard]] std::optional<PackFacts> find_lane_accesses(const Rule& rule, const Step& step, bool all_exist);

}  // namespace pb
