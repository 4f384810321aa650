// SPDX-License-Identifier: MIT
// Which steps run in bands of rows in a call (LoweredTransform::bands): flags of the call say it, declared before its
// temporaries.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/lower.h"

namespace pb {

/// Returns the flags of a call under which the steps of some bands alone have the matrix, so that it needs no memory.
[[nodiscard]] std::vector<std::string> flags_without(const LoweredTransform& lowered, MatrixId matrix);
/// Returns the flags of a call under which the step runs in bands of another one.
[[nodiscard]] std::vector<std::string> flags_of_readers(const LoweredTransform& lowered, StepId step);
/// Whether the step may run in bands, its own or another one's.
[[nodiscard]] bool may_run_in_bands(const LoweredTransform& lowered, StepId step);
/// Whether the step may run in bands, with what it alone reads.
[[nodiscard]] bool has_bands(const LoweredTransform& lowered, StepId step);

}  // namespace pb
