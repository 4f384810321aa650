// SPDX-License-Identifier: MIT
// Training information (docs/reference/formats.md 2) of a Plan. Its order defines the numbers of choice
// sites and tunables that generated code and the active configuration share.
#pragma once

#include "choicegraph/plan/plan.h"
#include "clgen/facts/emit_options.h"
#include "lang/program.h"
#include "runtime/config/info.h"

namespace pb {

class SourceManager;

/// Returns the training information: transforms in file order, sites and tunables in Plan order.
[[nodiscard]] pbrt::TrainingInfo make_training_info(const Program& program, const Plan& plan,
                                                    const SourceManager& sources, const EmitOptions& options);

}  // namespace pb
