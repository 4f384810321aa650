// SPDX-License-Identifier: MIT
// What a program says when a body runs over the end of its stack (runtime/sched/overflow.h): one line that names the rule,
// and exit status 1. It walks the stack and looks the addresses up in the symbols of the program's own file, whose mangled
// names hold the names that pbc gave its functions; a program without symbols names no rule. Used by program_main.
#pragma once

#include <string_view>

#include "runtime/main/program.h"

namespace pbrt {

/// Installs the report. `program_name` and `program` live as long as the process.
void report_stack_overflows(const char* program_name, const ProgramDesc& program);

/// The rule, or else the transform, that a function with this mangled name belongs to; null for other functions.
///
/// `_ZN10pb_programL10rule_Fib_0E…`, also inside of the names of lambdas. Async-signal-safe.
[[nodiscard]] const BodyName* body_of_symbol(const ProgramDesc& program, std::string_view symbol);

}  // namespace pbrt
