// SPDX-License-Identifier: MIT
// `pbc --explain`: says for each rule which versions exist, and what in the source prevents the others.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/passes/computation/lift_loops.h"
#include "choicegraph/plan/plan.h"
#include "frontend/splice_calls/splice_calls.h"
#include "lang/program.h"
#include "lang/source.h"

namespace pb {

/// What passes made of the bodies of rules.
struct BodyChanges {
  std::vector<LiftedLoops> lifted;
  std::vector<SplicedCalls> spliced;
};

/// Returns the report, one paragraph per transform.
[[nodiscard]] std::string explain(const Program& program, const Plan& plan, const BodyChanges& changes,
                                  const SourceManager& sources);

}  // namespace pb
