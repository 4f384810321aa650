// SPDX-License-Identifier: MIT
// C++ of loops in blocks of rows (clgen/lower/tree/loop_tree.h): compilers turn a block into a few vector instructions.
#pragma once

#include <functional>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Constant `pb_is_far`, before all loops: whether blocks pay.
void emit_row_block_test(Writer& out, const RuleCode& code, const RowBlocks& blocks);

/// The loop in blocks, then what is left of it; `instance` prints its statements.
void emit_row_blocks(Writer& out, const RuleCode& code, const RowBlocks& blocks, const std::function<void()>& instance);

}  // namespace pb
