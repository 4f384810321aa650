// SPDX-License-Identifier: MIT
// Boxes with symbolic bounds, and which regions are unions of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/region/region.h"

namespace pb {

/// A box with symbolic bounds. It holds its cells only while every guard is >= 0. If it has conditions, it holds only
/// those cells that satisfy them: a triangle, a diagonal, a lattice.
struct RegionBox {
  std::vector<Interval> dims;              ///< dimension 0 first
  std::vector<IndexExpr> guards;           ///< conditions on parameters that the bounds do not imply
  std::vector<IndexExpr> conditions = {};  ///< over dimensions and parameters: cells at which each is >= 0
};

/// Returns the points of `box`: those within its bounds that satisfy its guards and conditions. Dimension k is named
/// dims[k].
///
/// Pre: `dims` has a name for each dimension of the box
[[nodiscard]] Region region_of_box(const RegionContext& context, const std::vector<std::string>& dims,
                                   const RegionBox& box);

/// Returns the points of `box` in the space of `like`, for parameter values in `known`.
[[nodiscard]] Region to_region(const Region& like, const RegionBox& box, const Region& known);

/// Returns the region as one box within `known` parameter values; none if it is no box.
[[nodiscard]] std::optional<RegionBox> as_box(const Region& region, const Region& known);

/// Returns disjoint boxes whose union is the region within `known`; none if it is no finite union of boxes.
[[nodiscard]] std::optional<std::vector<RegionBox>> disjoint_boxes(const Region& region, const Region& known);

/// Returns false if a convex piece is surely no union of a few boxes: it is a lattice, or it is cut by a slanted border
/// that is longer than a few cells in each dimension.
[[nodiscard]] bool may_be_boxes(const Region& piece, const Region& known);

}  // namespace pb
