// SPDX-License-Identifier: MIT
// Headers of BLAS and LAPACK for programs that use their names without declaring them
// (docs/reference/language.md 7.8, 20.4), arranged so that a program's own declarations do not clash.
#pragma once

#include <string>

#include "lang/program.h"

namespace pb {

/// Returns the lines of C++ that stand before the program's prefix blocks; most programs have none. When the lines are
/// compiled, headers that the user's machine lacks are left out.
[[nodiscard]] std::string native_headers(const Program& program);

/// Whether bodies or prefix blocks name routines of BLAS or LAPACK.
[[nodiscard]] bool uses_blas(const Program& program);

}  // namespace pb
