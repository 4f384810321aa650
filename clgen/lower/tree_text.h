// SPDX-License-Identifier: MIT
// Lowered trees as text for people and golden tests: `pbc --emit=lowered`.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/kernel_tree.h"
#include "lang/program.h"

namespace pb {

/// A line per node, those inside of a loop or branch two blanks deeper.
[[nodiscard]] std::string to_text(const Program& program, const KernelTree& kernel);

/// The kernels of all steps that have device versions, in the order of transforms and steps.
[[nodiscard]] std::string emit_lowered(const Program& program, const Plan& plan);

}  // namespace pb
