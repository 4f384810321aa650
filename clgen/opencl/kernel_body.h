// SPDX-License-Identifier: MIT
// The body of a rule as OpenCL C, printed from the typed tree.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/kernel_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Defines the functions that the body calls and kernels do not have as C++ means them; `head` stands before each.
void print_kernel_functions(Writer& out, const Rule& rule, const std::string& head);

/// Prints the statements. Cells of a region named `in` in the body are `pb_from_in[pb_at_in + i * pb_at_in_s0 + …]`, or
/// `pb_at_in` is a pointer: of staged and shared cells. Its sizes are `pb_at_in_size0`, …; element outputs are
/// variables of their name.
///
/// Post: returns whether the text jumps to `pb_done`, which the caller must then define
[[nodiscard]] bool print_kernel_body(Writer& out, const Rule& rule, const KernelTree& kernel,
                                     const RuleInstance& instance, const std::string& result);

/// Whether the body uses sizes of the region bound to `binding`.
[[nodiscard]] bool uses_sizes(const Rule& rule, const std::string& binding);

}  // namespace pb
