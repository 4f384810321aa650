// SPDX-License-Identifier: MIT
// Makes the loops with which a rule fills its outputs the rule's variables. In
//   to (C c) from (A a, B b) { for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) { …; c.cell(x, y) = s; } }
// each round stores a cell of its own, and the rounds are all cells of `C`. The rule then has an instance for each
// round, as one that is written `to (C.cell(x, y) c) from (A.row(y) a, B.column(x) b)`. Tasks, packs and devices take
// it like that one. It runs before frontend/infer_regions, because domains follow from the variables.
#pragma once

#include <string>
#include <vector>

#include "lang/program.h"

namespace pb {

/// What became of the loops of a rule whose body is a loop.
struct LiftedLoops {
  TransformId transform;
  RuleId rule;
  std::vector<std::string> vars;  ///< the loops that became variables, outermost first; empty: none did
  std::string reason;             ///< only without `vars`: why
  Span span;                      ///< of the outermost loop, or of what prevents that it becomes a variable
};

/// Changes the rules of a program whose types are known. Returns what `pbc --explain` says of them.
std::vector<LiftedLoops> lift_loops(Program& program);

}  // namespace pb
