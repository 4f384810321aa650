// SPDX-License-Identifier: MIT
// How work-items of a kernel in blocks store the cells of instances that are neighbours. Private to clgen/opencl.
#pragma once

#include <functional>
#include <optional>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The array of the new cells of a work-item's instances, by `pb_own`, until they are stored.
inline constexpr const char* kNewCells = "pb_new";

/// Returns the cells that a work-item stores at once: those of neighbours along the first of the two loops of blocks.
/// None if instances do not make one new cell each, or if those of neighbours are not neighbours of a row.
[[nodiscard]] std::optional<CellVector> find_run_stores(const Program& program, const KernelTree& kernel);

/// Prints the stores of kNewCells. A group whose instances all exist stores runs where rows are aligned.
///
/// Pre: the place of the group is known; `declare_place` declares that of instance `pb_k0`, `pb_k1`, … of the work-item,
/// and gets whether all instances of the group exist
void print_run_stores(Writer& out, const Program& program, const KernelTree& kernel,
                      const KernelOperandPrinter& operands, const CellVector& run,
                      const std::function<void(bool)>& declare_place);

}  // namespace pb
