// SPDX-License-Identifier: MIT
// Choices and values that are fixed when a program is compiled, by the ids of its Plan. clgen/info makes them from a
// configuration; fix_choices takes them.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "choicegraph/plan/plan.h"

namespace pb {

/// The decisions about one transform. Everything that is not named stays open.
struct FixedTransform {
  std::map<SiteId, std::vector<FixedLevel>> sites;      ///< alternatives are those of the whole plan
  std::map<std::size_t, std::vector<double>> tunables;  ///< by index into TransformPlan::tunables
};

}  // namespace pb
