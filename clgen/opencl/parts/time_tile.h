// SPDX-License-Identifier: MIT
// The text of a kernel that makes several versions of a matrix in the memory of its work-groups
// (KernelTree::time_tile). Private to clgen/opencl.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// Returns the parameters that lead to the two buffers of a group: versions are in them by turns.
[[nodiscard]] std::vector<std::string> time_tile_parameters(const Program& program, const KernelTree& kernel,
                                                            const KernelDialect& dialect);

/// Prints the statements of the kernel behind its head.
void print_time_tile(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect);

}  // namespace pb
