// SPDX-License-Identifier: MIT
// The text of the instances that a work-item runs in vectors (VectorInstances). Private to clgen/opencl.
#pragma once

#include <functional>
#include <string>

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

/// Prints work for each width that builds may have, under `#if` and `#elif`: `print(width)` prints that of one. Where
/// `cells` is not empty, the width must divide this number of a build. The caller adds an `#else` for builds without
/// vectors, and the `#endif`.
void for_each_width(Writer& out, const VectorInstances& vectors, const std::string& cells,
                    const std::function<void(int width)>& print);

/// Prints the instances of one vector, up to their values: an array per output that new_cells_name() names. `pb_x0`,
/// the place of the first one along the fastest loop, and the variables of the other loops are known. `done` is the
/// label behind their bodies.
void print_vector(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                  KernelOperandPrinter& operands, int width, const std::string& done);

/// Returns the name of the array with the values of an output.
[[nodiscard]] std::string new_cells_name(const Rule& rule, const RegionAccess& output);
/// Returns the type of a vector of cells.
[[nodiscard]] std::string vector_word(const Program& program, const Matrix& matrix, int width);
/// Declares `pb_vector` and gives it cells of an array: those from `first` on, `step` apart. An empty `first` is 0, an
/// empty `step` is 1.
void print_gather(Writer& out, const std::string& vector_type, const std::string& array, int width,
                  const std::string& first = "", const std::string& step = "");

}  // namespace pb
