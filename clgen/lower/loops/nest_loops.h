// SPDX-License-Identifier: MIT
// Pass: the loops of a nest's member (choicegraph/plan/plan.h), over a tile of the nest's rows or over a slice of them.
#pragma once

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// Returns the values that a row takes over all members.
[[nodiscard]] IndexRange hull_of(const TransformPlan& plan, const Nest& nest, const NestRow& row);

/// Returns loops over the rows within a tile, and inside of these the member's own loops. Each coordinate of the member
/// sets bounds to the last row that it depends on.
[[nodiscard]] TreeBlock tile_loops(const RuleShape& rule, const TransformPlan& plan, const Nest& nest,
                                   const NestMember& member);

/// Returns the member's loops, over a tile or over the slice that step_in_slices gives.
[[nodiscard]] CpuLoops lower_member_loops(const RuleShape& rule, const TransformPlan& plan, const Nest& nest,
                                          const NestMember& member, PackUse packs = PackUse::WherePossible);

}  // namespace pb
