// SPDX-License-Identifier: MIT
// The loops of a CPU version over the instances of a box, as trees. Each form is a pass of its own, with what makes it
// legal beside it; lower_cpu_loops applies them in their order. nest_loops.h and fused_loops.h have those of several
// steps.
#pragma once

#include <cstdint>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

struct CpuLoops {
  TreeBlock plain;   ///< over any views
  TreeBlock packed;  ///< on packs, over views whose rows are contiguous; empty: there are none

  bool operator==(const CpuLoops&) const = default;
};

/// Whether steps may run on packs.
enum class PackUse : std::uint8_t { None, WherePossible };

/// The loops of a step: the best forms that its rule allows.
[[nodiscard]] CpuLoops lower_cpu_loops(const RuleShape& rule, const Step& step, PackUse packs = PackUse::WherePossible);

// ---- the passes

/// One loop per rule variable around an instance, as the Plan orders them; the innermost one is Single if it has one
/// iteration whatever the sizes are: along a border of the slower dimensions. The innermost other one is Vector if
/// `is_vector`.
[[nodiscard]] TreeBlock plain_loops(const RuleShape& rule, const Step& step, bool is_vector);

/// The instances in packs where all cells lie inside; `outside` runs in the other parts of the box, if there are some.
[[nodiscard]] TreeBlock packed_loops(const RuleShape& rule, const Step& step, const PackFacts& facts,
                                     const TreeBlock& outside);

/// Whether compilers may run the instances of the innermost loop side by side: straight-line code, and what becomes it.
/// `all_exist`: where no cell of them is outside.
[[nodiscard]] bool may_run_in_vectors(const RuleShape& rule, const Step& step, bool all_exist);

}  // namespace pb
