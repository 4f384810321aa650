// SPDX-License-Identifier: MIT
// C++ of the loops over the instances of a step, one after the other: bounds, order, strides, what compilers may
// assume. Not what stands in them, which is instance_code.h, nor packs.
#pragma once

#include <string>

#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The loops over a box of instances, one after the other. `name`: of the function.
void emit_loops(Writer& out, const RuleCode& code, const Step& step, const std::string& name);

/// A writer for the statements of such a function, as deep as they stand in it.
[[nodiscard]] Writer loops_body(const RuleCode& code);

/// The function of such loops, of which `body`, made by `loops_body`, are the statements: its parameters are views of the
/// matrices, scalars and, unless empty, `box_param`.
void emit_loops_function(Writer& out, const RuleCode& code, const std::string& head, const std::string& box_param,
                         const Writer& body);

/// Where a loop begins and ends within `pb_box`, of which it has dimension `dim`; strides aside.
[[nodiscard]] std::string lower_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim);
[[nodiscard]] std::string upper_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim);

}  // namespace pb
