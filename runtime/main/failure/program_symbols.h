// SPDX-License-Identifier: MIT
// Finds the rule that a function of this program belongs to. Addresses are looked up in the symbols of the program's
// own file, whose mangled names hold the names that pbc gave its functions. In a program without symbols no rule is
// found. Used by crash_report and thrown_from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/main/program/program_desc.h"
#include "runtime/sched/recursion.h"

namespace pbrt {

/// The rule, or else the transform, that a function with this mangled name belongs to; null for other functions.
///
/// `_ZN10pb_programL10rule_Fib_0E…`, also inside of the names of lambdas. Async-signal-safe.
[[nodiscard]] const BodyName* body_of_symbol(const ProgramDesc& program, std::string_view symbol);

/// Finds the first of these addresses that lies in a function of a rule, and returns its rule or transform; null if
/// none does.
[[nodiscard]] const BodyName* body_among(const ProgramDesc& program, const std::uintptr_t* addresses, std::size_t num);

/// The rule or transform whose function is being executed, the innermost one if there are several; null if there is
/// none.
[[nodiscard]] const BodyName* body_on_stack(const ProgramDesc& program);

/// The rule that makes a call, or its transform where the rule was compiled into the transform's function or runs on
/// another stack; null if there is no such transform.
[[nodiscard]] const BodyName* caller_on_stack(const ProgramDesc& program, const CallPlace& place);

/// Writes the addresses of the functions that are being executed, innermost first; returns how many. Async-signal-safe.
[[nodiscard]] std::size_t addresses_on_stack(std::uintptr_t* out, std::size_t max);

}  // namespace pbrt
