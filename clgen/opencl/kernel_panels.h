// SPDX-License-Identifier: MIT
// The text of a kernel's panels: parts of inputs that a work-group copies to its local memory for each block of rounds
// of a fold. Builds without blocks have no panels. Private to this folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clgen/opencl/kernel_tiles.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Declares the arrays of the panels. `head` stands before each. The n-th has PB_PANELn elements.
void print_panel_arrays(Writer& out, const KernelTilePrinter& tiles, const LoopTree& tree, const std::string& head);

/// Declares the extents of the panels, the distances of their cells, and the places of their first and last cells as
/// far as blocks have them in common. `pb_block_rounds` is known.
void print_panel_shapes(Writer& out, const KernelTilePrinter& tiles);

/// Declares where the panels of a block begin. `pb_block` is known.
void print_panel_begins(Writer& out, const KernelTilePrinter& tiles);

/// Makes `pb_is_whole` false unless the copies of all blocks that have all their rounds read cells inside, and find
/// them aligned, so that a work-item may read neighbours at once. `pb_block` is that of the first block.
void print_panel_wholeness(Writer& out, const KernelTilePrinter& tiles, const Copy& copy);

/// Copies the cells of a panel. `pb_flat` is the number of the work-item in its group. `is_whole`: `pb_is_whole` holds,
/// and the block has all its rounds.
void print_panel_copy(Writer& out, const KernelTilePrinter& tiles, const Copy& copy, bool is_whole);

/// The same in two parts: the cells of the next block go to an array first, and then to the panels that `pb_panel` does
/// not mean.
void print_fetched_cells(Writer& out, const KernelTilePrinter& tiles, const Copy& copy);
void print_panel_fetch(Writer& out, const KernelTilePrinter& tiles, const Copy& copy, bool is_whole);
void print_panel_store(Writer& out, const KernelTilePrinter& tiles, const Copy& copy);

/// Declares a pointer to the cells of the instance at `pb_place0`, … of its group in the panels
/// that `pb_panel` means, and the strides of the dimensions in
/// `dims`.
void print_panel_region(Writer& out, const KernelTilePrinter& tiles, BufferId id, const std::vector<std::size_t>& dims);

/// Returns the distance in a panel between the cells of instances that are neighbours along a loop.
[[nodiscard]] std::string panel_step(const KernelTilePrinter& tiles, BufferId id, std::size_t loop);

}  // namespace pb
