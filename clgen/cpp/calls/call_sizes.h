// SPDX-License-Identifier: MIT
// C++ of the sizes and numbers of a call: size variables are solved from extents, extents are checked, tunables are
// read.
#pragma once

#include <string>

#include "clgen/cpp/calls/call_context.h"

namespace pb {

/// Declares size variables, `pb_n` and tunables, and checks all extents.
void emit_sizes(Writer& out, const CallContext& call);

/// Declares how the rules run their folds, and which forms their loops have. The schedules of sites are in scope.
void emit_tuned_values(Writer& out, const CallContext& call);

/// Prints checks for rule variables, which are ints. A range that has larger values stops the call.
void emit_variable_checks(Writer& out, const CallContext& call);

/// Returns the value of a size variable. `actual` is the size of the dimension that tells it.
[[nodiscard]] std::string solution_text(const SizeVar& var, const std::string& actual);

/// Defines `pb_n`, the size of a call for selectors and size-specific values (docs/reference/language.md 6.7).
void emit_largest_size(Writer& out, const Transform& transform);

}  // namespace pb
