// SPDX-License-Identifier: MIT
// Finds which views of matrices may tell compilers more than others, and when: dimension 0 of a unit view is
// contiguous, and an apart view also shares no memory with other views.
#pragma once

#include <optional>
#include <vector>

#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/condition.h"

namespace pb {

/// The views that loops get where `condition` holds at run time.
struct FastViews {
  Condition condition = Condition::always();
  std::vector<MatrixId> apart;  ///< matrices that get apart views; the others get unit views

  bool operator==(const FastViews&) const = default;
};

/// Returns the fast views of loops over instances of the rule; none if the loops get no views.
[[nodiscard]] std::optional<FastViews> find_fast_views(const RuleShape& rule);

/// Whether the body has loops, so that it matters what compilers know of its matrices even in a single instance.
[[nodiscard]] bool may_loop(const Rule& rule);

}  // namespace pb
