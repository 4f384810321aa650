// SPDX-License-Identifier: MIT
// Lowered trees as text for people and golden tests: `pbc --emit=lowered`.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/cpu_loops.h"
#include "clgen/lower/kernel_tree.h"
#include "clgen/lower/rule_shape.h"
#include "lang/program.h"

namespace pb {

/// Returns a line per node. Nodes inside of another one are two blanks deeper.
[[nodiscard]] std::string to_text(const Program& program, const KernelTree& kernel);

/// Returns the text of the loops of a step's CPU version.
[[nodiscard]] std::string to_text(const RuleShape& rule, StepId step, const CpuLoops& loops);

/// Returns the text of all transforms: for each step the loops of its CPU version and the kernels of its device
/// versions, then the steps that run as one loop, and then each nest with the loops of its members.
[[nodiscard]] std::string emit_lowered(const Program& program, const Plan& plan);

}  // namespace pb
