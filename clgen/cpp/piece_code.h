// SPDX-License-Identifier: MIT
// C++ that runs the loops of a step over a piece of its box: over views that compilers know more of where they may.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Parameters that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<Parameter> step_params(const RuleCode& code);
/// Arguments that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<std::string> step_args(const RuleCode& code, const std::string& frame);

/// When dimension 0 of all matrices that the loops get as views is contiguous and, where the body writes among its
/// reads, matrices have no cells in common; none if there are no views.
[[nodiscard]] std::optional<Condition> unit_condition(const RuleCode& code);
/// Declares it as a bool of that name, which the result then tests; none where there are no views.
std::optional<Condition> declare_unit(Writer& out, const RuleCode& code, const std::string& name);
/// A call of a step's loops; frame `pb_inner` if it needs one.
[[nodiscard]] std::string loops_call(const RuleCode& code, const std::string& function, bool is_unit,
                                     const std::string& box);
/// The call of a step's loops over `box`: over unit views, with packs if there are, where `unit` holds; it is none
/// where no matrix is a view.
void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, bool has_packs,
                const std::optional<Condition>& unit, const std::string& box);

}  // namespace pb
