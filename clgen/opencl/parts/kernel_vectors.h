// SPDX-License-Identifier: MIT
// The text of the instances that a work-item runs in vectors (VectorInstances). Private to clgen/opencl.
#pragma once

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the loops over the vectors of a work-item, all of whose instances exist, under `#if` and `#elif` for each
/// width that builds may have. The caller adds an `#else` for builds without vectors, and the `#endif`. Work-items of a
/// group have neighbouring vectors, as they have neighbouring instances elsewhere.
///
/// Pre: the kernel has vectors; in a build with them, `PB_ITEMS0` is a multiple of their width
void print_vectors(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                   KernelOperandPrinter& operands);

}  // namespace pb
