// SPDX-License-Identifier: MIT
// The text form of a Plan, as `--emit=plan` and the golden tests show it. What is printed can be read back.
#pragma once

#include <optional>
#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Returns the text of the whole plan: of each transform its segments, sites, steps, edges and tunables, one per line.
///
/// Pre:     `plan` was made for `program`, which has the names
[[nodiscard]] std::string to_string(const Plan& plan, const Program& program);

struct ParsedPlan {
  std::optional<Plan> plan;
  std::string error;  ///< if there is no plan: the first line that cannot be read, as `line 2: …`
};

/// Reads back what to_string printed for `program`. The plan is not verified.
[[nodiscard]] ParsedPlan parse_plan(const std::string& text, const Program& program);

}  // namespace pb
