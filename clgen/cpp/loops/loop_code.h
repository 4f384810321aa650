// SPDX-License-Identifier: MIT
// C++ of the loops over the instances of a step: bounds, order, strides, and what compilers may assume. What stands
// inside of the loops is in instance_code.h.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/accesses/host_parts.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the functions that run the instances of a box: `loops_STEM` and, if there are loops on packs, their body
/// `packs_STEM` and the loops `lanes_STEM`. `step` has the bounds of the loops. `hosted` is what each instance
/// announces that the trees say is announced.
///
/// Pre: the function `rule_` of the rule was emitted
void emit_loops(Writer& out, const RuleCode& code, const Step& step, const CpuLoops& loops, const HostParts& hosted,
                const std::string& stem);

/// Prints `loops_STEM` of a nest's member over a tile of the nest's rows. `box` is the parameter that holds the tile.
void emit_tile_loops(Writer& out, const RuleCode& code, const Step& step, const TreeBlock& loops,
                     const HostParts& hosted, const std::string& stem, const Parameter& box);
/// Prints statements that add to `pb_count` the number of instances that `loops` run over a tile.
void emit_tile_count(Writer& out, const RuleCode& code, const Step& step, const TreeBlock& loops);

/// Prints `loops_STEM` of steps that run as one loop. `code` is the rule of the first step, joined with what the others
/// need; `members` are the rules of all steps.
void emit_joined_loops(Writer& out, const RuleCode& code, const std::vector<RuleCode>& members, const Step& step,
                       const TreeBlock& loops);

/// Returns where a loop begins and ends within `pb_box`, if its stride were 1. `dim` is the dimension of the box that
/// belongs to the loop.
[[nodiscard]] std::string lower_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim);
[[nodiscard]] std::string upper_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim);

}  // namespace pb
