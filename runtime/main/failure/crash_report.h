// SPDX-License-Identifier: MIT
// The report of a crash (runtime/sched/crash.h): one line that names the rule whose body ran, and in a checked program
// the instance. After a stack overflow the program ends with exit status 1; after any other crash its signal ends it.
// Used by program_main.
#pragma once

#include "runtime/main/program/program_desc.h"

namespace pbrt {

/// Installs the report, and names for recursion that does not end. `program_name` and `program` live as long as the
/// process.
void report_crashes(const char* program_name, const ProgramDesc& program);

}  // namespace pbrt
