// SPDX-License-Identifier: MIT
// Recursion that does not end (ARCHITECTURE 6.9): rules that a default may not take. Part of build_plan.
#pragma once

#include <set>
#include <vector>

#include "choicegraph/plan.h"
#include "lang/program.h"

namespace pb::choices {

/// Rules, by transform, that their site's default should avoid: under the defaults of `plan` they call themselves, over
/// others perhaps, whatever the sizes and data are. None where every choice does.
[[nodiscard]] std::vector<std::set<RuleId>> endless_rules(const Program& program, const Plan& plan);

}  // namespace pb::choices
