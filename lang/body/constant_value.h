// SPDX-License-Identifier: MIT
// Values of integer expressions that stand in the program: literals, and `+ - * / %` of known ones. They are the values
// of mathematics: a caller that needs C++'s `unsigned` looks at the types. Used by the checks of types and by clgen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "lang/body/body.h"

namespace pb {

/// What an integer literal holds, whatever its base and suffix; none if 64 bits do not.
[[nodiscard]] std::optional<std::uint64_t> literal_magnitude(const std::string& text);

/// The value of an expression; none if it is not known, or not of 64 bits.
///
/// `value_of_name` gives the values of the names in the expression; without it, no name has a known value.
[[nodiscard]] std::optional<std::int64_t> constant_value(
    const Body& body, ExprId id, const std::function<std::optional<std::int64_t>(ExprId)>& value_of_name = {});

/// Whether a loop compares with a number that stands in the program: `k < 2 * 4`.
[[nodiscard]] bool has_constant_end(const Body& body, const ForStmt& loop);

}  // namespace pb
