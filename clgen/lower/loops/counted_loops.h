// SPDX-License-Identifier: MIT
// Pass: loops of bodies that packs unroll, in blocks of a few rounds.
#pragma once

#include <vector>

#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

/// Returns the counted loops of the rule's body, in the order of the body.
[[nodiscard]] std::vector<CountedLoop> find_counted_loops(const Rule& rule);

}  // namespace pb
