// SPDX-License-Identifier: MIT
// Guesses what a user meant if a header has a syntax error: words of other languages, and common mistakes.
#pragma once

#include <string>

#include "frontend/parse/antlr_unit.h"

namespace pb {

/// A hint about a syntax error; empty if no guess is possible.
[[nodiscard]] std::string hint_for(const Unit& unit, const UnitError& error);

}  // namespace pb
