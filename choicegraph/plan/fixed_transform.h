// SPDX-License-Identifier: MIT
// Choices and values that are decided when a program is compiled, by the ids of its Plan. A configuration becomes this
// in clgen/info; fix_choices takes it.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "choicegraph/plan/plan.h"

namespace pb {

/// What is decided about one transform. What is not named stays open.
struct FixedTransform {
  std::map<SiteId, std::vector<FixedLevel>> sites;      ///< alternatives are those of the whole plan
  std::map<std::size_t, std::vector<double>> tunables;  ///< by index into TransformPlan::tunables
};

}  // namespace pb
