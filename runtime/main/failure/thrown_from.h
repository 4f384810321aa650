// SPDX-License-Identifier: MIT
// Where exceptions of bodies come from. When one is caught at the end of a run, the stack that threw it is gone; so the
// place is noted when it is thrown: the addresses of the functions, and the instance of a checked program. For that
// this file has its own
// __cxa_throw in front of the C++ library's. It costs a walk over the stack per exception, and nothing else.
#pragma once

#include <string>

#include "runtime/main/program/program_desc.h"

namespace pbrt {

/// From now on, the places of exceptions are noted. Called once, by `main`.
void note_exceptions();

/// The message about the exception that is being handled: our own messages as they are, others with the rule that threw
/// it.
///
/// Pre:     called in a handler of an exception
[[nodiscard]] std::string words_of_exception(const ProgramDesc& program);

}  // namespace pbrt
