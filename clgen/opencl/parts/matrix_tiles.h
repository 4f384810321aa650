// SPDX-License-Identifier: MIT
// The text of a kernel whose work-groups compute temporaries in their memory before they run its instances
// (KernelTree::tiles). Private to clgen/opencl.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// Returns the parameters that lead to the memory of each temporary.
[[nodiscard]] std::vector<std::string> matrix_tile_parameters(const Program& program, const KernelTree& kernel,
                                                              const KernelDialect& dialect);

/// Prints the statements of the kernel behind its head.
void print_matrix_tiles(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect);

}  // namespace pb
