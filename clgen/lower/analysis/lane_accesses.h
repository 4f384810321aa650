// SPDX-License-Identifier: MIT
// Finds how the accesses of a rule move from instance to instance of a pack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns the same for tiles of instances whose rows are those of the loop over `row_var`. An input whose `panels`
/// entry is not None may be any region that moves with the variable that the entry says, and not with the other one.
[[nodiscard]] std::optional<PackFacts> find_tile_accesses(const Rule& rule, const Step& step,
                                                          const std::string& row_var,
                                                          const std::vector<PanelOf>& panels);

/// How far the region of the next instance along `symbol` begins, per dimension of the matrix; none if its extents
/// change, or if the distance is no whole number.
[[nodiscard]] std::optional<std::vector<std::int64_t>> steps_along(const RegionAccess& access, std::string_view symbol);

}  // namespace pb
