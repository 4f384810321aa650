// SPDX-License-Identifier: MIT
// Recursion that does not end (docs/architecture.md 6.9): rules that a default may not take. Part of build_plan.
#pragma once

#include <set>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb::choices {

/// Rules, by transform, that the default of their site should avoid: under the defaults of `plan` they call themselves,
/// perhaps through others, whatever the sizes and data are. Where every choice does so, no rule is named.
[[nodiscard]] std::vector<std::set<RuleId>> endless_rules(const Program& program, const Plan& plan);

}  // namespace pb::choices
