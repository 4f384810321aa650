// SPDX-License-Identifier: MIT
// Finds which cells are needed (docs/reference/language.md 6.4): the cells of outputs, and all cells that an instance
// which produces a needed cell may read under any configuration. Private to this folder; see Note [Liveness].
#pragma once

#include <vector>

#include "choicegraph/passes/segments/candidates.h"

namespace pb::choices {

struct Liveness {
  std::vector<Region> missing;   ///< per matrix: needed cells without a candidate
  std::vector<Region> left_out;  ///< per rule: instances that do not run; empty: none of any rule
};

/// Finds the needed cells. `groups` are those of all_groups, before anything is left out.
[[nodiscard]] Liveness find_liveness(const Analysis& analysis, const std::vector<std::vector<CellGroup>>& groups);

}  // namespace pb::choices
