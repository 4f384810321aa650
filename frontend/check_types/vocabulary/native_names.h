// SPDX-License-Identifier: MIT
// Functions that prefix blocks declare. They hide functions of the C library whose meaning the compiler knows. Private
// to check_types.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb::checking {

/// Names of the functions, and macros with parameters, that the blocks declare outside of braces
/// (other than those of namespaces and of `extern "C"`).
[[nodiscard]] std::set<std::string> find_native_functions(const std::vector<NativeBlock>& blocks);

}  // namespace pb::checking
