// SPDX-License-Identifier: MIT
// The form of a kernel in which the rounds of a fold run in blocks (RoundBlocks), and what it has in common with
// others. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/facts/round_blocks.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// A loop from 0 to `count`.
[[nodiscard]] TreeLoop counting_loop(LoopRole role, std::string var, IndexExpr count, TreeBlock inside);

/// The loops over batches, the fastest first in `batches`, around those over groups along all dimensions.
[[nodiscard]] TreeNode with_batches(const std::vector<std::string>& batches, TreeNode inside);

/// Returns memory for what the instances of a group read together of an input. `vars`: the loops' variables, the
/// fastest first.
[[nodiscard]] Buffer buffer_of(const InputBox& box, const std::vector<std::string>& vars);

/// Returns what a group does: it runs in blocks, or what `otherwise` says, which the build knows. Adds the panels to
/// the tree's buffers. `whole` is the instance that reads everything from its matrices.
[[nodiscard]] TreeNode with_round_blocks(const Step& step, const Rule& rule, const RoundBlockFacts& facts,
                                         const RuleInstance& whole, const std::vector<std::string>& vars,
                                         LoopTree& tree, TreeBlock otherwise);

}  // namespace pb
