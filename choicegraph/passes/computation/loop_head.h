// SPDX-License-Identifier: MIT
// The heads of `for` loops that count. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb::choices {

/// The number of the first declarator of each declaration of a body, by StmtId; 0 for other statements.
[[nodiscard]] std::vector<std::uint32_t> first_declarators(const Body& body);

/// What the head of a loop says, or why it does not count.
struct LoopHead {
  Fold fold;           ///< without accumulators
  std::string reason;  ///< empty: the loop counts
  Span span;           ///< of what prevents that
};

/// Reads the head of `loop`, a ForStmt.
[[nodiscard]] LoopHead read_loop_head(const Rule& rule, StmtId loop, std::uint32_t first_declarator);

}  // namespace pb::choices
