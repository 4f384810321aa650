// SPDX-License-Identifier: MIT
// Between which values an integer expression lies where some of its symbols have ranges: what instances of a box read.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lang/index/index_expr.h"

namespace pb {

/// From `first` to `last`, both included.
struct IndexInterval {
  IndexExpr first, last;
};
using SymbolRanges = std::vector<std::pair<std::string, IndexInterval>>;

/// An interval that holds all values of `expr` for symbols in their ranges, which are not empty; none where a divisor
/// is no constant. The interval is exact where each symbol occurs once.
[[nodiscard]] std::optional<IndexInterval> bounds_of(const IndexExpr& expr, const SymbolRanges& ranges);

}  // namespace pb
