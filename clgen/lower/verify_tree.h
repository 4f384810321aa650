// SPDX-License-Identifier: MIT
// Checks what every lowered kernel must keep, whichever passes made it.
#pragma once

#include <string>

#include "clgen/lower/kernel_tree.h"

namespace pb {

/// Returns which of these rules the tree breaks, or an empty text:
///  * loops of groups stand outside of those of items, each dimension once, and only items run instances;
///  * barriers and copies stand between them, where all work-items of a group come by;
///  * a barrier stands between the copy that fills a buffer and the instances that read it, and each buffer has a copy
///    in both blocks of a branch or in none;
///  * an instance has an operand for each region of its rule, and staged ones name a buffer of their input;
///  * names in expressions are numbers that the kernel gets, or variables of the loops outside.
[[nodiscard]] std::string verify(const Transform& transform, const KernelTree& kernel);

}  // namespace pb
