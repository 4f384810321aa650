// SPDX-License-Identifier: MIT
// The loops of a CPU version over the instances of a box, as trees. Each form of loops is a pass of its own, which also
// decides where the form is legal. lower_cpu_loops applies the passes in their order. nest_loops.h and fused_loops.h
// make the loops of several steps.
#pragma once

#include <cstdint>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb {

struct CpuLoops {
  TreeBlock plain;                          ///< over any views
  TreeBlock packed;                         ///< on packs, over views whose rows are contiguous; empty: there are none
  Condition in_packs = Condition::never();  ///< when loops over such views are `packed`; they are `plain` else
  TreeBlock tiled = {};  ///< in tiles, where a box suits them: then no others run; empty: there are none (find_tiles.h)

  bool operator==(const CpuLoops&) const = default;
};

/// Whether steps may run on packs.
enum class PackUse : std::uint8_t { None, WherePossible };

/// Returns the loops of a step in the best forms that its rule allows.
[[nodiscard]] CpuLoops lower_cpu_loops(const RuleShape& rule, const Step& step, PackUse packs = PackUse::WherePossible);

// ---- the passes

/// Returns one loop per rule variable around an instance, in the order of the Plan. The innermost loop is Single if it
/// has one iteration whatever the sizes are, as along a border of the slower dimensions. The innermost loop that is not
/// Single is Vector if `is_vector`.
[[nodiscard]] TreeBlock plain_loops(const RuleShape& rule, const Step& step, bool is_vector);

/// Returns loops that run the instances in packs where all cells lie inside of their matrices. `outside` runs in the
/// other parts of the box, if there are any.
[[nodiscard]] TreeBlock packed_loops(const RuleShape& rule, const Step& step, const PackFacts& facts,
                                     const TreeBlock& outside);

/// Whether compilers may run the instances of the innermost loop in vectors: the body is straight-line code, or becomes
/// that when it is compiled. `all_exist` says that no cell of these instances lies outside of its matrix.
[[nodiscard]] bool may_run_in_vectors(const RuleShape& rule, const Step& step, bool all_exist);

}  // namespace pb
