// SPDX-License-Identifier: MIT
// How the CPU makes several versions of a temporary while near caches hold them (decision 64). Bands of rows follow one
// another: the band of a version lies `skew` rows before the same band of the version before it, so that all rows which
// its instances read are made, and all rows of which it takes the memory are read. A row is all cells with one place
// along the dimension that is slowest in memory, but that of the versions. An instance lies at the first row that it
// writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Where the instances of a member of the nest write in a version.
struct BandMember {
  std::string var;               ///< the loop variable that moves along the rows; empty: all instances lie at `row`
  std::optional<IndexExpr> row;  ///< set if `var` is empty
  std::int64_t step = 1;         ///< an instance lies at the row `step * var + shift`; at least 1
  IndexExpr shift = {};
  std::int64_t lag = 0;  ///< rows that its part of a band lies before the band's own place
};

/// The nest that makes the versions of a temporary, in bands.
struct VersionBands {
  MatrixId matrix;
  StepId main;                      ///< the step that has most to do: its tunable says how many rows a band has
  std::vector<BandMember> members;  ///< in the order of Nest::members; lags do not fall
  std::int64_t skew = 0;            ///< rows that a band lies before that of the version before
  /// Rows are folded, because instances at one edge read rows at the other one: a row has the place of its distance to
  /// the nearer edge. So the first and the last row lie side by side, as neighbours do. See Note [Folded rows].
  bool is_folded = false;
  std::string why_not = {};  ///< why versions are made one after the other; empty: they need not be
};

/// Returns how the nest makes versions in bands. If `why_not` is not empty, nothing else has a meaning.
[[nodiscard]] VersionBands find_version_bands(const Transform& transform, const TransformPlan& plan, const Nest& nest);

}  // namespace pb
