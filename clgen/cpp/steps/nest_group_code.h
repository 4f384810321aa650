// SPDX-License-Identifier: MIT
// C++ of a nest of several steps in the schedule of its transform: the functions of its members' loops, and the
// statements that run them.
#pragma once

#include <cstddef>
#include <string>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the functions of the loops of all members. `nest` is the number of the nest in the plan.
void emit_nest_functions(Writer& out, const CppContext& context, TransformId transform, std::size_t nest);

/// Prints statements that run the nest in the frame `frame`.
void emit_nest_group(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                     std::size_t nest, const std::string& frame);

}  // namespace pb
