// SPDX-License-Identifier: MIT
// What a user probably meant where a header has a syntax error: the words of other languages and the usual slips.
#pragma once

#include <string>

#include "frontend/parse/antlr_unit.h"

namespace pb {

/// A hint about a syntax error; empty if there is no telling.
[[nodiscard]] std::string hint_for(const Unit& unit, const UnitError& error);

}  // namespace pb
