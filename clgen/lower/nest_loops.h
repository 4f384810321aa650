// SPDX-License-Identifier: MIT
// Pass: the loops of a nest's member (choicegraph/plan/plan.h), over a tile of the nest's rows or over a slice of them.
#pragma once

#include "choicegraph/plan/plan.h"
#include "clgen/lower/cpu_loops.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

/// The values that a row takes over all members.
[[nodiscard]] IndexRange hull_of(const TransformPlan& plan, const Nest& nest, const NestRow& row);

/// Loops over the rows within a tile, in which a coordinate of the member bounds the last row that it depends on; then
/// those of the member inside of the rows.
[[nodiscard]] TreeBlock tile_loops(const RuleShape& rule, const TransformPlan& plan, const Nest& nest,
                                   const NestMember& member);

/// The member's loops: over a tile, or over the slice that step_in_slices gives.
[[nodiscard]] CpuLoops lower_member_loops(const RuleShape& rule, const TransformPlan& plan, const Nest& nest,
                                          const NestMember& member, PackUse packs = PackUse::WherePossible);

}  // namespace pb
