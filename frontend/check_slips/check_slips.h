// SPDX-License-Identifier: MIT
// Finds what the language and C++ take and nobody means: indices beyond regions of constant size, quotients that lose
// their fraction, names that hide others, recursion without an end. It looks at programs that passed all other checks
// of the front end, and changes nothing.
#pragma once

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb {

/// Reports the slips of a program. Errors: false if there was any error on `diags`; most slips are warnings.
[[nodiscard]] bool check_slips(const Program& program, Diagnostics& diags);

}  // namespace pb
