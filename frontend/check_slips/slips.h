// SPDX-License-Identifier: MIT
// The kinds of slips, each with a function that looks for it. Private to this folder.
#pragma once

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb::slips {

/// Looks for indices outside of regions. Errors: IndexOutside if an index that is written in the program lies outside
/// of a region of constant size.
void find_indices_outside(const Transform& transform, const Rule& rule, Diagnostics& diags);

/// Warns of `1/3*a`: a quotient of two literals that loses its fraction before it becomes a real number.
void find_integer_quotients(const Program& program, const Transform& transform, const Rule& rule, Diagnostics& diags);

/// Warns of locals that bear the name of a region of the rule or of a size variable.
void find_hidden_names(const Transform& transform, const Rule& rule, Diagnostics& diags);

/// Warns of a transform whose every way to make some output calls it again, at the same sizes, before anything could
/// end it.
void find_endless_recursion(const Program& program, TransformId id, Diagnostics& diags);

}  // namespace pb::slips
