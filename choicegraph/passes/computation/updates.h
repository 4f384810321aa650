// SPDX-License-Identifier: MIT
// The forms in which a statement updates an accumulator: `s += x`, `s = max(s, x)`, `if (x < s) s = x;` and others.
// Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choicegraph/passes/computation/loop_effects.h"
#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb::choices {

/// An update of an accumulator, and what it assigns.
struct MatchedUpdate {
  Accumulator accumulator;  ///< with this one update
  VariableKey variable;
  std::vector<ExprId> assignments;  ///< those that belong to the update
  int num_mentions = 0;             ///< how often it names the accumulator
};

/// The update that an assignment is by itself; none if it has another form. `element` is what ElementT stands for.
[[nodiscard]] std::optional<MatchedUpdate> match_assignment(const Rule& rule, ElementType element,
                                                            const OuterAssignment& assignment);

/// The smallest or largest that `if (x < s) { s = x; place = i; }` updates; none if the statement has another form.
/// `assignments` are those of the loop.
[[nodiscard]] std::optional<MatchedUpdate> match_if(const Rule& rule, ElementType element, StmtId stmt,
                                                    const std::vector<OuterAssignment>& assignments);

/// Why such a type cannot take the operands in parts; empty if it can. For `+`, `*`, `&`, `|` and `^`.
[[nodiscard]] std::string why_not_regrouped(const Accumulator& accumulator, const BodyType& operands);

/// Whether both are the same type of number.
[[nodiscard]] bool is_same_number(const BodyType& a, const BodyType& b);

/// The type with ElementT replaced by the program's element type.
[[nodiscard]] BodyType settled(const BodyType& type, ElementType element);

}  // namespace pb::choices
