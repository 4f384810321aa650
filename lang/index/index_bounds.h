// SPDX-License-Identifier: MIT
// Bounds of an integer expression some of whose symbols have ranges. They tell what the instances of a box read.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lang/index/index_expr.h"

namespace pb {

/// The integers from `first` to `last`, both included.
struct IndexInterval {
  IndexExpr first, last;
};
using SymbolRanges = std::vector<std::pair<std::string, IndexInterval>>;

/// An interval that holds all values of `expr` for symbols in their ranges, which are not empty; none where a divisor
/// is no constant. The interval is exact where each symbol occurs once.
[[nodiscard]] std::optional<IndexInterval> bounds_of(const IndexExpr& expr, const SymbolRanges& ranges);

}  // namespace pb
