// SPDX-License-Identifier: MIT
// Formulas that have no inverse among formulas, such as `n*n` or `n*(n+1)/2`, but grow with their variable, so that a
// call can search for the one value that fits. Used by resolve for size variables (docs/reference/language.md 4.3).
#pragma once

#include <string>

#include "lang/formula.h"

namespace pb {

/// True if `formula` is proved never to shrink where `name` grows, for all values from 0 up of the names in it, and to
/// be a polynomial of small degree in them but for divisions by numbers.
[[nodiscard]] bool grows_with(const std::string& name, const Formula& formula);

}  // namespace pb
