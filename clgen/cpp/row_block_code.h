// SPDX-License-Identifier: MIT
// Loops along the rows of large matrices: the innermost loop runs in blocks of a fixed length, which compilers turn
// into a few vector instructions, and asks for the cache lines of a later block before each. Not loops across the rows,
// which is strip_code.h. Used by loop_code.
#pragma once

#include <functional>
#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Whether the innermost loop of the step may run in blocks: some output moves along the rows with it, to others with
/// loops outside of it.
///
/// Pre: compilers may run the instances of that loop side by side
[[nodiscard]] bool has_row_blocks(const RuleCode& code, const Step& step);

/// Constant `pb_is_far`, before all loops: whether that pays.
void emit_row_block_test(Writer& out, const RuleCode& code, const Step& step);

/// The innermost loop from the variable `first` to before `last`: in blocks, then what is left of it. `instance` prints
/// its statements.
void emit_row_blocks(Writer& out, const RuleCode& code, const Step& step, const std::string& first,
                     const std::string& last, const std::function<void()>& instance);

}  // namespace pb
