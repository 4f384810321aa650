// SPDX-License-Identifier: MIT
// Running places of loops: variables that a loop only raises, and at which its rounds store. Private to this folder.
#pragma once

#include <set>
#include <vector>

#include "choicegraph/passes/computation/loop_effects.h"
#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb::choices {

/// What a loop does with its running places.
struct RunningPlaces {
  std::vector<Accumulator> places;  ///< in the order of the text
  std::vector<ExprId> stores;       ///< the assignments to cells at these places
  std::set<ExprId> raises;          ///< the assignments and steps that raise them
  std::vector<BranchedStore> branched;
};

/// Finds the running places of a loop with these effects. Each is a whole number of the body. The loop raises it by
/// constants, as in `at++` and `at += 2`, and uses it only as a coordinate of plain stores. Outputs to which it stores
/// so are used in no other way. Rounds do not compute with floating-point numbers, apart from what they store and add
/// up: a loop runs twice, and a condition must not be rounded in another way then.
///
/// No two rounds store to the same cell: a round stores only at places from the value that it begins with up to, and
/// without, the value that it ends with. So what stores at `at` raises `at` behind it, whatever happens between.
[[nodiscard]] RunningPlaces find_running_places(const Rule& rule, ElementType element, StmtId loop,
                                                const LoopEffects& effects);

}  // namespace pb::choices
