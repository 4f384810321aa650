// SPDX-License-Identifier: MIT
// The text of rounds that run on matrix units (runtime/config/matrix_unit_text.h). Private to this folder.
//
// A warp has work-items in a rectangle of 4 x 8, as KernelBlockPrinter places them. Along the first of the two loops a
// work-item has two neighbours, then the next two a group further, and so on: these are the columns of a unit's sums
// that it holds. Along the other loop its instances lie a group apart, and each is a row.
#pragma once

#include "clgen/opencl/kernel_tiles.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints what kernels with such products need outside of functions. Of floats, it has PB_PANEL_GAP: how many elements
/// lie between rows of panels.
void print_matrix_units(Writer& out, const BlockProducts& products);

/// Prints the rounds of a block up to the last multiple of 8.
void print_products(Writer& out, const KernelTilePrinter& tiles, const Rule& rule, const RuleInstance& instance);

}  // namespace pb
