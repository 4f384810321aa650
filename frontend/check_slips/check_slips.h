// SPDX-License-Identifier: MIT
// Finds slips: code that the language and C++ accept but that is probably a mistake. Examples are indices beyond
// regions of constant size, quotients that lose their fraction, names that hide others, and recursion without an end.
// The pass looks at programs that passed all other checks of the front end, and changes nothing.
#pragma once

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb {

/// Reports the slips of a program. Errors: false if there was any error on `diags`; most slips are warnings.
[[nodiscard]] bool check_slips(const Program& program, Diagnostics& diags);

}  // namespace pb
