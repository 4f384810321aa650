// SPDX-License-Identifier: MIT
// The shapes of all rules of a transform, which all passes share.
#pragma once

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "lang/program.h"
#include "lang/store.h"

namespace pb {

using RuleShapes = Store<RuleId, RuleShape>;

/// Returns the shape of each rule. A rule has handles instead of views of its matrices if some of its loops may
/// announce each instance. `has_kernels` says whether the program has any kernels.
[[nodiscard]] RuleShapes find_rule_shapes(const Program& program, const TransformPlan& plan, bool has_kernels);

}  // namespace pb
