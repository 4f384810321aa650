// SPDX-License-Identifier: MIT
// Formulas with real numbers, made exact: `0.5*n` becomes `n/2`, which is truncated where C would truncate the real
// value.
#pragma once

#include <cstdint>
#include <optional>

#include "lang/formula.h"

namespace pb::resolving {

/// `num / den` without truncation. A quotient of whole numbers inside of `num` is truncated as in C, because that is
/// what the author of `n/2 + 0.5` gets.
struct Fraction {
  Formula num;
  std::int64_t den = 1;
};

/// The formula as a fraction; nothing if a real number has no small denominator, or if what is not constant divides a
/// fraction.
///
/// Pre:     exponents are integers
[[nodiscard]] std::optional<Fraction> as_fraction(const Formula& formula);

}  // namespace pb::resolving
