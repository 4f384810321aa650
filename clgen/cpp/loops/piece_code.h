// SPDX-License-Identifier: MIT
// C++ that runs the loops of a step over a piece of its box. Where the matrices allow it, the loops get views that tell
// compilers more: dimension 0 of a unit view is contiguous, and an apart view also shares no memory with other views.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/analysis/fast_views.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Parameters that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<Parameter> step_params(const RuleCode& code);
/// Arguments that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<std::string> step_args(const RuleCode& code, const std::string& frame);
/// The same. Temporaries of which two versions have memory are given with the version that the rule writes or reads.
[[nodiscard]] std::vector<std::string> versioned_step_args(const TransformPlan& plan, const RuleCode& code,
                                                           const std::string& frame);

/// Fast views of a step's loops, and the variable that says whether the loops may get them.
struct DeclaredViews {
  const FastViews& views;
  std::string variable;
};
/// Declares a bool `name` that holds the condition of the views; nothing if there are none.
///
/// Pre: `views` outlives what is returned
std::optional<DeclaredViews> declare_views(Writer& out, const RuleCode& code, const std::optional<FastViews>& views,
                                           const std::string& name);
/// Returns a call of a step's loop function. Its frame, if it needs one, is `pb_inner`. It gets the views of `fast`, or
/// plain ones if that is null.
[[nodiscard]] std::string loops_call(const RuleCode& code, const std::string& function, const FastViews* fast,
                                     const std::string& box);
/// Prints the call of a step's loops over `box`. If the fast views may be used at run time, the loops get them, and run
/// on packs where `in_packs` holds.
void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, const Condition& in_packs,
                const std::optional<DeclaredViews>& fast, const std::string& box);

}  // namespace pb
