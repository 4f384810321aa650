// SPDX-License-Identifier: MIT
// The loops of a CPU version over the instances of a box, as a tree. Each form is a pass of its own, with what makes it
// legal beside it; lower_cpu_loops applies them in their order. Not yet trees: packs, nests, fused and joint steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/loop_tree.h"
#include "clgen/lower/rule_shape.h"

namespace pb {

/// The loops of a step: the best form that its rule allows.
[[nodiscard]] TreeBlock lower_cpu_loops(const RuleShape& rule, const Step& step);

// ---- the passes

/// One loop per rule variable around an instance, as the Plan orders them; the innermost one is Single if it has one
/// iteration whatever the sizes are: along a border of the slower dimensions. The innermost other one is Vector if
/// `is_vector`.
[[nodiscard]] TreeBlock plain_loops(const RuleShape& rule, const Step& step, bool is_vector);

/// Strips instead of the two innermost loops; none if no cell of the rule moves across the rows.
[[nodiscard]] std::optional<Strips> find_strips(const RuleShape& rule, const Step& step);

/// Where all cells that may lie outside are inside, along the innermost loop: then it is cut in three, and the part in
/// the middle runs without tests. None if there are no such cells, or those instances are no range.
[[nodiscard]] std::optional<InsideRange> find_inside_range(const RuleShape& rule, const Step& step);

/// Blocks along the rows instead of the innermost loop, without bounds and body; none if no output moves along the rows
/// with that loop and to others with loops outside of it.
///
/// Pre: the instances of that loop may run side by side
[[nodiscard]] std::optional<RowBlocks> find_row_blocks(const RuleShape& rule, const Step& step);

/// Whether compilers may run the instances of the innermost loop side by side: straight-line code, and what becomes it.
/// `all_exist`: where no cell of them is outside.
[[nodiscard]] bool may_run_in_vectors(const RuleShape& rule, const Step& step, bool all_exist);

// ---- what packs and others ask, too

/// The instances of a box at which all cells lie inside: another box.
struct InsideBox {
  std::vector<std::vector<IndexExpr>> first, end;  ///< per dimension of the box, the fastest first: beside its bounds,
                                                   ///< at least and at most each
  Condition condition = Condition::always();       ///< there is one only where it holds
};
/// None if no input may lie outside, or those instances are no box.
[[nodiscard]] std::optional<InsideBox> find_inside_box(const RuleShape& rule, const Step& step);

/// Whether coordinate `dim` of a `.cell` access moves with the rule variable.
[[nodiscard]] bool moves_with(const RegionAccess& access, std::size_t dim, const std::string& var);

}  // namespace pb
