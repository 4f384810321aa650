// SPDX-License-Identifier: MIT
// Computes bounds of an integer expression from ranges of its symbols. Printers find with it which cells the instances
// of a box read.
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

/// Returns an interval that holds all values of `expr` for symbols in their ranges; nothing if a divisor with such a
/// symbol around it is no constant. The interval is exact if each symbol occurs once.
///
/// Pre: no range is empty
[[nodiscard]] std::optional<IndexInterval> bounds_of(const IndexExpr& expr, const SymbolRanges& ranges);

/// As bounds_of, also for quotients by what has no such symbol. Appends to `conditions` what is 0 or more where no
/// dividend of such a quotient is negative and each divisor is positive. Each of these has a value where those before
/// it hold.
[[nodiscard]] std::optional<IndexInterval> bounds_if(const IndexExpr& expr, const SymbolRanges& ranges,
                                                     std::vector<IndexExpr>& conditions);

}  // namespace pb
