// SPDX-License-Identifier: MIT
// Local memory in kernels: inputs that a work-group copies, as tiles, before its instances read them. Not which inputs
// these are: kernel.cpp decides it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clgen/opencl/kernel.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The box that an instance reads of an input; null if it is not known.
[[nodiscard]] const InputBox* box_of(const Step& step, std::size_t input);

/// Element type of a matrix as the kernel spells it.
[[nodiscard]] std::string element_word(const Matrix& matrix);

/// Statements that load the tiles of a kernel: `pb_group0`, `pb_first0`, …, then per tile its place, extents and copy.
void print_tiles(Writer& out, const Transform& transform, const Rule& rule, const Step& step, const Kernel& kernel);

/// Declarations of the cells of this instance in its group's tile: the pointer `name` and the strides of `dims`. From
/// local ids alone: they run along the tile.
void print_tile_region(Writer& out, const Transform& transform, const RegionAccess& access, const KernelTile& tile,
                       int num_loops, const std::string& name, const std::vector<std::size_t>& dims);

}  // namespace pb
