// SPDX-License-Identifier: MIT
// Which variables of a body may get another value if one of its expressions had another one. Private to this folder.
#pragma once

#include <set>

#include "choicegraph/passes/computation/loop_effects.h"
#include "lang/program.h"

namespace pb::choices {

/// Returns the outputs and locals that `source`, an expression of the rule's body, may reach: they are assigned from
/// it, or from what depends on it, or where a condition that depends on it decides. It names too many rather than too
/// few.
///
/// Pre: the body has a tree throughout, and no lambdas
[[nodiscard]] std::set<VariableKey> variables_reached_by(const Rule& rule, ExprId source);

/// Whether below `expr` is `source` or the name of one of the variables.
[[nodiscard]] bool depends_on(const Rule& rule, ExprId expr, ExprId source, const std::set<VariableKey>& variables);

}  // namespace pb::choices
