// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/launch_steps.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace pb {

bool may_run_in(const TransformPlan& plan, const Step& step, Version version) {
  const std::vector<Alternative>& alternatives = plan.sites[step.site].alternatives;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& alternative) {
    const std::vector<Version>& versions = alternative.versions;
    return std::find(versions.begin(), versions.end(), version) != versions.end() && runs(plan, alternative, step);
  });
}

bool has_basic_version(const TransformPlan& plan, const Step& step) { return may_run_in(plan, step, Version::OpenCl); }

bool is_variable(const Formula& at, const std::string& var) {
  const auto* symbol = std::get_if<SymbolRef>(&at.node);
  return symbol != nullptr && symbol->name == var;
}

}  // namespace pb
