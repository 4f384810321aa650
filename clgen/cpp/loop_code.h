// SPDX-License-Identifier: MIT
// C++ of the loops over the instances of a step, one after the other: bounds, order, strides, what compilers may
// assume. Not what stands in them, which is instance_code.h.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/cpu_loops.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The functions that run the instances of a box: `loops_STEM` and, where there are loops on packs, `packs_STEM`, the
/// body, and `lanes_STEM`. `step` has the loops.
///
/// Pre: the function `rule_` of the rule was emitted
void emit_loops(Writer& out, const RuleCode& code, const Step& step, const CpuLoops& loops, const std::string& stem);

/// Packs write to memory without a look at the index, which checked programs need.
[[nodiscard]] PackUse pack_use(const CppContext& context);

/// `loops_STEM` of a nest's member over a tile of the nest's rows; `box`: the parameter that is the tile.
void emit_tile_loops(Writer& out, const RuleCode& code, const Step& step, const TreeBlock& loops,
                     const std::string& stem, const Parameter& box);
/// The statements that count the instances which `loops` run over a tile, in `pb_count`.
void emit_tile_count(Writer& out, const RuleCode& code, const Step& step, const TreeBlock& loops);

/// `loops_STEM` of steps that run as one loop; `code`: their first rule with what all of them need, `members`: each.
void emit_joined_loops(Writer& out, const RuleCode& code, const std::vector<RuleCode>& members, const Step& step,
                       const TreeBlock& loops);

/// Where a loop begins and ends within `pb_box`, of which it has dimension `dim`; strides aside.
[[nodiscard]] std::string lower_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim);
[[nodiscard]] std::string upper_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim);

}  // namespace pb
