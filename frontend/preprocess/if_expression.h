// SPDX-License-Identifier: MIT
// Integer constant expressions of `#if` and `#elif`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lang/token.h"

namespace pb {

/// The value of the expression. Names count as 0, as in C. `defined` was replaced before.
///
/// Errors: no value if it is no integer constant expression; `why` then says so in words
[[nodiscard]] std::optional<std::int64_t> evaluate_condition(std::span<const Token> tokens, std::string& why);

}  // namespace pb
