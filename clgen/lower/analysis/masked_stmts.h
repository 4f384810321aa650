// SPDX-License-Identifier: MIT
// Finds which branches and loops of a body run on packs with masks: those that instances take, leave or go through in
// different ways. Their statements run in all instances of a pack, and change only the instances that take part.
#pragma once

#include <optional>
#include <set>

#include "clgen/lower/tree/pack_facts.h"
#include "lang/program.h"

namespace pb {

/// Whether the condition of a branch or loop differs between instances, or a loop has a `break` or `continue` that
/// depends on such a condition.
[[nodiscard]] bool needs_mask(const Body& body, StmtId id, const PackFacts& facts);

struct MaskedStmts {
  std::set<StmtId> stmts;  ///< branches and loops, also those inside of others
  std::set<ExprId> steps;  ///< statements `k++` and `k--` in them
};

/// Returns the statements that need masks, and all branches and loops in them. Returns none if masks cannot do what one
/// of them does: they may hold declarations and assignments of numbers, branches, loops and jumps of these loops, with
/// expressions that are harmless in instances that do not take part.
///
/// Pre: `facts` knows which values vary
[[nodiscard]] std::optional<MaskedStmts> find_masked_stmts(const Rule& rule, const PackFacts& facts);

/// Whether the expression may be computed in instances that do not need it.
[[nodiscard]] bool may_always_run(const Rule& rule, ExprId expr);

/// Whether the body divides integers, which ends the program where the divisor is 0.
[[nodiscard]] bool may_divide_by_zero(const Rule& rule);

}  // namespace pb
