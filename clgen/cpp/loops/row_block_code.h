// SPDX-License-Identifier: MIT
// C++ of loops along rows in blocks of a fixed length (RowBlocks in clgen/lower/tree/loop_tree.h). Compilers turn a
// block into a few vector instructions.
#pragma once

#include <functional>
#include <string>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Declares constants before all loops: `pb_has_blocks`, whether they run in blocks, and `pb_streams`, whether the
/// values go past the caches, if they may.
void emit_row_block_test(Writer& out, const RuleCode& code, const RowBlocks& blocks);

/// Prints the loop in blocks, and then a plain loop over what is left. `instance` prints the statements of the loops,
/// and `value` is the value of an instance, where values may go past the caches.
void emit_row_blocks(Writer& out, const RuleCode& code, const RowBlocks& blocks, const std::function<void()>& instance,
                     const std::string& value);

}  // namespace pb
