// SPDX-License-Identifier: MIT
// Bodies that return early, which packs do not carry, and yet may run in vectors that compilers make. Used by
// loop_code.
#pragma once

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Whether the body is a computation of one value without effects, by loops with few iterations known here, choices and
/// arithmetic, from cells at fixed distances: compilers need not look for dependences between instances. See Note
/// [Independent instances].
[[nodiscard]] bool has_independent_instances(const Rule& rule, const Step& step, bool all_exist);

/// Whether the body alone is such a computation, whatever cells the header gives it.
[[nodiscard]] bool has_independent_body(const Rule& rule);

}  // namespace pb
