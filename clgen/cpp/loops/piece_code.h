// SPDX-License-Identifier: MIT
// C++ that runs the loops of a step over a piece of its box. Where the matrices allow it, the loops get views that tell
// compilers more: dimension 0 of a unit view is contiguous, and an apart view also shares no memory with other views.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Parameters that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<Parameter> step_params(const RuleCode& code);
/// Arguments that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<std::string> step_args(const RuleCode& code, const std::string& frame);

/// Returns the condition that dimension 0 of all matrices that the loops get as views is contiguous and, if the body
/// writes elements and reads others, that the matrices have no cells in common. Returns none if the loops get no views.
[[nodiscard]] std::optional<Condition> unit_condition(const RuleCode& code);
/// Declares a bool `name` that holds `unit_condition`. Returns the condition that tests this bool; none if the loops
/// get no views.
std::optional<Condition> declare_unit(Writer& out, const RuleCode& code, const std::string& name);
/// Returns a call of a step's loop function. Its frame, if it needs one, is `pb_inner`. `is_unit` says that
/// `unit_condition` holds.
[[nodiscard]] std::string loops_call(const RuleCode& code, const std::string& function, bool is_unit,
                                     const std::string& box);
/// Prints the call of a step's loops over `box`. If the condition `unit` holds at run time, the loops get unit views
/// and run on packs if `has_packs`. `unit` is none if no matrix is a view.
void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, bool has_packs,
                const std::optional<Condition>& unit, const std::string& box);

}  // namespace pb
