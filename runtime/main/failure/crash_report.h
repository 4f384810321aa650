// SPDX-License-Identifier: MIT
// What a program says when it crashes (runtime/sched/crash.h): one line that names the rule whose body ran, and of a
// checked program the instance. A stack overflow then ends it with exit status 1, any other crash by its signal. Used
// by program_main.
#pragma once

#include "runtime/main/program/program_desc.h"

namespace pbrt {

/// Installs the report, and names for recursion that does not end. `program_name` and `program` live as long as the
/// process.
void report_crashes(const char* program_name, const ProgramDesc& program);

}  // namespace pbrt
