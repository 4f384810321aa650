// SPDX-License-Identifier: MIT
// C++ of calls whose template arguments are known only at run time: functions that choose the instance.
#pragma once

#include "clgen/cpp/rules/rule_code.h"

namespace pb {

/// Prints `call_any_T` for each template of which some body chooses an instance at run time, and `spawn_any_T` if the
/// body spawns it.
///
/// Pre: the instances' `call_T` and `spawn_T` are declared
void emit_template_calls(Writer& out, const CppContext& context);

}  // namespace pb
