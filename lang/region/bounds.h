// SPDX-License-Identifier: MIT
// Bounds of one dimension and constraints of a region, as expressions. Only for use inside of lang/region:
// region_box.cpp makes boxes from them, and nest.cpp everything else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/region/isl_access.h"
#include "lang/region/region.h"

namespace pb {

/// Smallest value and one past the greatest of dimension `dim`, as functions of the parameters; none if one of them is
/// neither a minimum nor a maximum of quasi-affine terms. `known`: parameter values to simplify by, or unknown.
[[nodiscard]] std::optional<Interval> interval_of(const Region& region, int dim, const Region& known);

/// Bounds of dimension `dim` that may be looser than those of interval_of: each is the minimum or maximum of all terms
/// that it may be.
[[nodiscard]] std::optional<Interval> loose_interval_of(const Region& region, int dim);

/// `expr` without the operands of a minimum or maximum that another operand makes unnecessary at all points of `known`.
[[nodiscard]] IndexExpr without_needless(const IndexExpr& expr, const Region& known);

/// The constraints of a region that is one convex piece, each as an expression >= 0; an equation gives two of them.
/// None if the region is no such piece, or if a constraint has no such expression.
[[nodiscard]] std::optional<std::vector<IndexExpr>> constraints_of(const Region& piece);

[[nodiscard]] std::vector<IndexExpr> constants_first(std::vector<IndexExpr> items);

/// Lower and upper bounds of one dimension as constraints give them: the dimension is at least each of `lower`, and
/// below each of `upper`.
struct BoundList {
  std::vector<IndexExpr> lower, upper;

  [[nodiscard]] bool names_any(const std::vector<std::string>& names) const;
  /// factor * x + rest >= 0.
  void add(std::int64_t factor, const IndexExpr& rest);
};

/// `region` as convex pieces that share no point.
[[nodiscard]] std::vector<Region> convex_pieces(const Region& region);

}  // namespace pb
