// SPDX-License-Identifier: MIT
// C++ of calls whose template arguments are known at run time only: functions that choose the instance.
#pragma once

#include "clgen/cpp/rule_code.h"

namespace pb {

/// `call_any_T` and `spawn_any_T` of each template that some body calls so.
///
/// Pre: the instances' `call_T` and `spawn_T` are declared
void emit_template_calls(Writer& out, const CppContext& context);

}  // namespace pb
