// SPDX-License-Identifier: MIT
// Which values of a body are the same for all instances of a pack, and whether the body can
// run on packs at all: control flow must be the same for all of them.
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

/// None if the body needs something that packs do not have.
///
/// Pre: `step` has loops; `element` is what ElementT is; `all_exist`: no optional cell is missing where it is to run, else
/// a body with such is none
[[nodiscard]] std::optional<PackFacts> find_pack_facts(const Rule& rule, const Step& step, ElementType element,
                                                       bool all_exist = false);

/// Whether what the rule accesses moves as packs need it, whatever its body is.
///
/// Pre: `step` has loops
[[nodiscard]] bool has_pack_accesses(const Rule& rule, const Step& step, bool all_exist = false);

}  // namespace pb
