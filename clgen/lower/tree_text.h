// SPDX-License-Identifier: MIT
// Lowered trees as text for people and golden tests.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "lang/program.h"

namespace pb {

/// Returns a line per node. Nodes inside of another one are two blanks deeper.
[[nodiscard]] std::string to_text(const Program& program, const KernelTree& kernel);

/// Returns the text of the loops of a step's CPU version.
[[nodiscard]] std::string to_text(const RuleShape& rule, StepId step, const CpuLoops& loops);

/// Returns the text of a step that runs as scans.
[[nodiscard]] std::string scans_text(const RuleShape& rule, StepId step, const TreeBlock& scanned);

/// Returns the text of the loop of steps that run as one.
[[nodiscard]] std::string to_text(const Program& program, const TransformPlan& plan, const FusedSteps& steps,
                                  const TreeBlock& loops);

/// Returns the line in front of the loops of a nest's members.
[[nodiscard]] std::string to_text(const TransformPlan& plan, const Nest& nest);

}  // namespace pb
