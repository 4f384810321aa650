// SPDX-License-Identifier: MIT
// Finds bodies that packs cannot run, for example because they return early, but that compilers may run in vectors.
#pragma once

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Whether compilers need not look for dependences between the instances of the step. The body then computes one value
/// without effects, by arithmetic, branches and loops of few iterations, from cells at fixed distances. See Note
/// [Independent instances].
[[nodiscard]] bool has_independent_instances(const Rule& rule, const Step& step, bool all_exist);

/// Whether the body computes one value without effects, by arithmetic, branches and loops of few iterations, whatever
/// cells the header gives it.
[[nodiscard]] bool has_independent_body(const Rule& rule);

}  // namespace pb
