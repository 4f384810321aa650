// SPDX-License-Identifier: MIT
// The loops of a CPU version over the instances of a box, as a tree. Each form is a pass of its own, with what makes it
// legal beside it; lower_cpu_loops applies them in their order. Not yet trees: packs, nests, fused and joint steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/loop_tree.h"
#include "clgen/lower/rule_shape.h"

namespace pb {

/// The loops of a step: the best form that its rule allows.
[[nodiscard]] TreeBlock lower_cpu_loops(const RuleShape& rule, const Step& step);

// ---- the passes

/// One loop per rule variable around an instance, as the Plan orders them; the innermost one is Single if it has one
/// iteration whatever the sizes are: along a border of the slower dimensions. The innermost other one is Vector if
/// `is_vector`.
[[nodiscard]] TreeBlock plain_loops(const RuleShape& rule, const Step& step, bool is_vector);

/// Whether compilers may run the instances of the innermost loop side by side: straight-line code, and what becomes it.
/// `all_exist`: where no cell of them is outside.
[[nodiscard]] bool may_run_in_vectors(const RuleShape& rule, const Step& step, bool all_exist);

}  // namespace pb
