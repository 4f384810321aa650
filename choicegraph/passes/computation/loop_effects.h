// SPDX-License-Identifier: MIT
// What the statements of a loop assign and mention, and the first thing that keeps the loop from being a fold whatever
// it assigns. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lang/program.h"

namespace pb::choices {

/// A variable of a body: its kind, and its number among those of the kind.
using VariableKey = std::pair<NameKind, std::uint32_t>;

[[nodiscard]] inline VariableKey key_of(const NameBinding& binding) { return {binding.kind, binding.index}; }

/// An assignment, `++` or `--` in a loop to something from outside of the loop.
struct OuterAssignment {
  StmtId stmt;    ///< the statement that is this assignment and no more; none if it stands within an expression
  ExprId expr;    ///< the assignment
  ExprId target;  ///< what it assigns to: a name, or `c.cell(…)` of an output
  VariableKey variable;
};

struct LoopEffects {
  std::vector<OuterAssignment> assignments;  ///< in the order of the text
  std::vector<StmtId> ifs;                   ///< the IfStmts of the loop
  std::map<VariableKey, int> num_mentions;   ///< how often the loop names each variable, its head included
  std::string reason;                        ///< empty: nothing prevents a fold so far
  Span span;                                 ///< of what does
};

/// Reads the statements of `loop`, a ForStmt whose variable has the number `loop_local`. `declarators` says the number
/// of the first declarator of each declaration.
[[nodiscard]] LoopEffects read_loop_effects(const Rule& rule, StmtId loop, std::uint32_t loop_local,
                                            const std::vector<std::uint32_t>& declarators);

/// Whether two expressions are spelled alike and name the same things.
[[nodiscard]] bool is_same_expr(const Rule& rule, ExprId a, ExprId b);
/// How often an expression names the variable.
[[nodiscard]] int count_mentions(const Rule& rule, ExprId expr, const VariableKey& variable);

}  // namespace pb::choices
