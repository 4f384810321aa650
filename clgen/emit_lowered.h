// SPDX-License-Identifier: MIT
// What is decided before text is printed, as text for people and golden tests: `pbc --emit=lowered`.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/lower.h"
#include "lang/program.h"

namespace pb {

/// Returns the text of all transforms: the schedule of each, the loops of the CPU versions of its steps and the kernels
/// of their device versions, then the steps that run as one loop, and each nest with the loops of its members.
[[nodiscard]] std::string emit_lowered(const Program& program, const Plan& plan, const LoweredProgram& lowered);

}  // namespace pb
