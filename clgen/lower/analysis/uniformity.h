// SPDX-License-Identifier: MIT
// Finds which values of a body are the same for all instances of a pack, and whether the body can run on packs at all:
// its control flow must be the same for all of them.
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

/// Returns what packs need to know of the body; none if the body needs something that packs do not have. `element` is
/// the type that ElementT stands for. `all_exist` says that no optional cell is missing where the packs run; otherwise
/// a body with optional inputs gets none.
///
/// Pre: `step` has loops
[[nodiscard]] std::optional<PackFacts> find_pack_facts(const Rule& rule, const Step& step, ElementType element,
                                                       bool all_exist = false);

/// Adds to the accesses what packs need to know of the body; false if the body needs something that packs do not have.
[[nodiscard]] bool add_body_facts(const Rule& rule, ElementType element, PackFacts& facts);

}  // namespace pb
