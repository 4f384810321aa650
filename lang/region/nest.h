// SPDX-License-Identifier: MIT
// Regions that are no unions of boxes: as boxes with conditions, and as loops that visit their points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/region/region.h"
#include "lang/region/region_box.h"

namespace pb {

/// One loop of a nest. Its values lie in `range`, are at least each of `lower`, below each of `upper`, and equal to
/// `offset` modulo `stride`. All of these except the range may name the dimensions of the loops outside of it.
struct NestLevel {
  std::string var;
  Interval range;
  std::vector<IndexExpr> lower, upper;
  std::int64_t stride = 1;
  IndexExpr offset;
};

/// Loops that visit each point of a region once, in lexicographic order, if every guard is >= 0. Of the points that the
/// loops reach, those at which every condition is >= 0 belong to the region.
struct RegionNest {
  std::vector<NestLevel> levels;  ///< outermost first
  std::vector<IndexExpr> conditions;
  std::vector<IndexExpr> guards;
};

/// Returns disjoint pieces whose union is the region within `known`: boxes if it is made of boxes, else convex pieces
/// and lattices as boxes with conditions. None if a dimension has no bound or a coefficient does not fit 64 bits.
[[nodiscard]] std::optional<std::vector<RegionBox>> disjoint_pieces(const Region& region, const Region& known);

/// Returns loops over the region in the order of `vars`, outermost first.
///
/// Pre: the region is the points of `box` within `known`
[[nodiscard]] RegionNest loop_nest(const Region& region, const RegionBox& box, const std::vector<std::string>& vars,
                                   const Region& known);

}  // namespace pb
