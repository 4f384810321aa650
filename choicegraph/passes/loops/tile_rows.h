// SPDX-License-Identifier: MIT
// Rows of nests that may be cut into tiles. See Note [Rows].
#pragma once

#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/region/region.h"

namespace pb::choices {

/// Rows of a nest over the dimensions of `needs` in which no difference (writer - reader) points forwards: they may be
/// cut into tiles. Empty if there is no such change of coordinates with small numbers.
[[nodiscard]] std::vector<NestRow> find_tile_rows(const Region& needs);

/// Rows that may be cut into tiles, as find_tile_rows says, but along single dimensions only.
[[nodiscard]] std::vector<NestRow> find_straight_rows(const Region& needs);

}  // namespace pb::choices
