// SPDX-License-Identifier: MIT
// Checks what every lowered kernel and all lowered loops must keep, whichever passes made them.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns which of these rules the tree breaks, or an empty text:
///  * loops of groups stand outside of those of items, each dimension once, and only items run instances;
///  * barriers and copies stand between them, where all work-items of a group come by;
///  * a barrier stands between the copy that fills a buffer and the instances that read it, and each buffer has a copy
///    in both blocks of a branch or in none;
///  * an instance has an operand for each region of its rule, and staged ones name a buffer of their input;
///  * parts have the loops of their kernel, and all but the last one have boxes;
///  * names in expressions are numbers that the kernel gets, or variables of the loops outside.
[[nodiscard]] std::string verify(const Transform& transform, const KernelTree& kernel);

/// Returns which of these rules the CPU loops of a step break, or an empty text:
///  * loops are those of CPUs, and each variable has one loop;
///  * bounds name no loop variable of the step that is not known there;
///  * instances stand where all loop variables of the step are known;
///  * a result is stored once after it was computed, in the same block.
[[nodiscard]] std::string verify(const Step& step, const TreeBlock& loops);

}  // namespace pb
