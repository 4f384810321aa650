// SPDX-License-Identifier: MIT
// Values of extents, coordinates and conditions for given values of their symbols. They are computed from the Formula
// as it was written, without isl and without the compiler's own expressions. For the oracle; not part of the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lang/program.h"

namespace pb::testing {

using Values = std::map<std::string, std::int64_t>;

/// Exact fraction with a positive denominator.
struct Fraction {
  std::int64_t num = 0;
  std::int64_t den = 1;
};

/// The value of the formula in C's integer arithmetic; none for a division by zero.
[[nodiscard]] std::optional<std::int64_t> value_of(const Formula& formula, const Values& values);
[[nodiscard]] std::optional<Fraction> fraction_of(const Formula& formula, const Values& values);

[[nodiscard]] bool is_true(const Relation& relation, const Values& values);

/// Whether instances have to test `relation`: it holds a product of rule variables, or of one with a size variable.
[[nodiscard]] bool is_dynamic(const Relation& relation);
/// Whether instances have to test some relation of the rule's `where`.
[[nodiscard]] bool has_dynamic_where(const Rule& rule);

}  // namespace pb::testing
