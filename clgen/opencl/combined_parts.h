// SPDX-License-Identifier: MIT
// The text by which the lanes of an instance combine their parts of a fold. Private to this folder.
//
// A tree whose form only the number of lanes decides combines lane t with lane t + n, for n = lanes/2, lanes/4, and so
// on. It goes through memory of the group, with a barrier for each n. With PB_SHUFFLES, parts that a warp has together
// go from work-item to work-item; parts of other warps go through memory twice, and n is the same.
#pragma once

#include <cstddef>

#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Makes the parts of all lanes of accumulator `i` that of their group.
///
/// Pre: where the text stands, all work-items of the group come by
void print_combination(Writer& out, const DividedFold& divided, std::size_t i, const DividedFoldWords& words);

}  // namespace pb
