// SPDX-License-Identifier: MIT
// Finds the types and name bindings of rule bodies, and checks what can be checked before C++ sees a body: calls of
// transforms, accesses of regions, writes to what is read-only. Code that the body grammar does not know has type
// Unknown and is not checked.
#pragma once

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb {

/// Fills Rule::body_types of every rule of `program`. Locals are numbered in the order of
/// their declarators in the body.
///
/// Errors:  false if there was any error on `diags`
[[nodiscard]] bool check_types(Program& program, Diagnostics& diags);

}  // namespace pb
