// SPDX-License-Identifier: MIT
// Which outputs of a transform may be read before they are written: in-place transforms take
// their data from what the caller passed (docs/reference/language.md 5.10).
#pragma once

#include "lang/program.h"

namespace pb {

/// False only if no rule can see what `matrix`, an output of `transform`, held before the call.
[[nodiscard]] bool is_read_initially(const Program& program, TransformId transform, MatrixId matrix);

/// False only if no expression of a body can read what `matrix`, an output of `transform`, held before the call. Rules
/// may still leave cells as they were.
[[nodiscard]] bool is_read_by_bodies(const Program& program, TransformId transform, MatrixId matrix);

}  // namespace pb
