// SPDX-License-Identifier: MIT
// One form for formulas of sizes, so that two sizes can be compared. Private to this folder.
#pragma once

#include "lang/formula.h"

namespace pb::splicing {

/// Returns the formula as a sum of multiples of names in a fixed order: `w-2+h+1` and `h+w-1` are the same then.
/// Quotients and products of names stand in it whole, unless a quotient has no remainder.
///
/// Post:    the result has the formula's value in C integer arithmetic
[[nodiscard]] Formula canonical(const Formula& formula);

}  // namespace pb::splicing
