// SPDX-License-Identifier: MIT
// `pbc --explain`: says for each rule which versions exist, and what in the source prevents the others.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/passes/computation/lift_loops.h"
#include "choicegraph/plan/plan.h"
#include "lang/program.h"
#include "lang/source.h"

namespace pb {

/// Returns the report, one paragraph per transform.
[[nodiscard]] std::string explain(const Program& program, const Plan& plan, const std::vector<LiftedLoops>& lifted,
                                  const SourceManager& sources);

}  // namespace pb
