// SPDX-License-Identifier: MIT
// Values of integer expressions that are known from the program's text: literals, and `+ - * / %` of known values. They
// are mathematical values; a caller that needs C++'s `unsigned` must look at the types. Used by the checks of types and
// by clgen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "lang/body/body.h"

namespace pb {

/// The value of an integer literal, whatever its base and suffix; none if it does not fit 64 bits.
[[nodiscard]] std::optional<std::uint64_t> literal_magnitude(const std::string& text);

/// The value of an expression; none if it is not known, or does not fit 64 bits.
///
/// `value_of_name` gives the values of the names in the expression; without it, no name has a known value.
[[nodiscard]] std::optional<std::int64_t> constant_value(
    const Body& body, ExprId id, const std::function<std::optional<std::int64_t>(ExprId)>& value_of_name = {});

/// Whether the end of a loop is a constant in the program's text: `k < 2 * 4`.
[[nodiscard]] bool has_constant_end(const Body& body, const ForStmt& loop);

/// How often a loop runs that counts up by one between constants of the program's text: 5 of `for (int k = 3; k < 2 *
/// 4; k++)`. None for other loops.
[[nodiscard]] std::optional<std::int64_t> constant_rounds(const Body& body, const ForStmt& loop);

}  // namespace pb
