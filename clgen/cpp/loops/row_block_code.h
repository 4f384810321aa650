// SPDX-License-Identifier: MIT
// C++ of loops along rows in blocks of a fixed length (RowBlocks in clgen/lower/tree/loop_tree.h). Compilers turn a
// block into a few vector instructions.
#pragma once

#include <functional>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Declares the constant `pb_has_blocks` before all loops: whether they run in blocks.
void emit_row_block_test(Writer& out, const RuleCode& code, const RowBlocks& blocks);

/// Prints the loop in blocks, and then a plain loop over what is left. `instance` prints the statements of the loops.
void emit_row_blocks(Writer& out, const RuleCode& code, const RowBlocks& blocks, const std::function<void()>& instance);

}  // namespace pb
