// SPDX-License-Identifier: MIT
// Finds which values of a body differ between the instances of a pack.
#pragma once

#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

/// Fills in `is_varying` and `varying_locals`: values vary if they depend on a cell that moves, or on a variable that
/// differs between lanes.
///
/// Pre: `facts` has the accesses of `rule`
void mark_varying_values(const Rule& rule, PackFacts& facts);

/// Whether the expression is `IS_MISSING(a)`, which is false because packs run where all cells exist.
[[nodiscard]] bool is_missing_test(const Rule& rule, ExprId id);

}  // namespace pb
