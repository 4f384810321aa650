// SPDX-License-Identifier: MIT
// Pass: scans run in chunks along the rows, in packs.
#pragma once

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns the loops of a step as scans; an empty block if the step is none, if its order is that of the source, or if
/// its direction is not that of the rows.
[[nodiscard]] TreeBlock scan_loops(const TransformPlan& plan, const RuleShape& rule, const Step& step);

}  // namespace pb
