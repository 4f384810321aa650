// SPDX-License-Identifier: MIT
// Pass: loops of bodies that packs unroll.
#pragma once

#include <vector>

#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

/// Returns the loops of the rule's body that end before `b`, have no loops in them and are none of `constant_loops`.
/// They are in the order of the body.
[[nodiscard]] std::vector<CountedLoop> find_counted_loops(const Rule& rule,
                                                          const std::vector<CountedLoop>& constant_loops);

/// Returns the loops of the rule's body that have few rounds and known values of their variable, each with all loops
/// inside of it. Only nests that index an array of the body by a variable of theirs count: an array whose indices are
/// not constants lies in memory. They are in the order of the body.
[[nodiscard]] std::vector<CountedLoop> find_constant_loops(const Rule& rule);

}  // namespace pb
