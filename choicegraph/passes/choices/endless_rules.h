// SPDX-License-Identifier: MIT
// Recursion that does not end (docs/architecture.md 6.9): rules that a default may not take. Part of build_plan.
#pragma once

#include <set>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb::choices {

/// For each transform, the rules that the defaults of its sites should avoid: under the defaults of `plan` they call
/// themselves, perhaps through others, whatever the sizes and data are. If every choice of a site does so, no rule is
/// named.
[[nodiscard]] std::vector<std::set<RuleId>> endless_rules(const Program& program, const Plan& plan);

}  // namespace pb::choices
