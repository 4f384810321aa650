// SPDX-License-Identifier: MIT
// Executes the lowered loops of CPU versions. Not part of the compiler.
#pragma once

#include <cstdint>
#include <string>

#include "choicegraph/testing/oracle.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb::testing {

/// Runs the loops of `step` over the box from `lo` to before `hi` (dimension 0, the fastest loop, first). Returns what
/// is wrong, or an empty text. Faults are an instance of the box that does not run exactly once, another instance that
/// runs, an order that the step does not allow, and an instance without tests that has a cell outside of its matrix.
/// `sizes` has values for all size variables and tunables; `seed` decides what depends on the sizes of caches.
[[nodiscard]] std::string run_loops(const RuleShape& rule, const Step& step, const TreeBlock& loops,
                                    const Values& sizes, const Point& lo, const Point& hi, std::uint64_t seed);

/// Runs the loops of a nest's member over all tiles of the nest's rows. A tile covers a few values of each row. Returns
/// what is wrong, or an empty text: an instance of the member that does not run exactly once, or another instance that
/// runs.
[[nodiscard]] std::string run_tiles(const RuleShape& rule, const TransformPlan& plan, const Nest& nest,
                                    const NestMember& member, const TreeBlock& loops, const Values& sizes,
                                    std::uint64_t seed);

/// Runs steps that are one loop over a box, in the variables of the first step, whose rule is `rule`. Returns what is
/// wrong, or an empty text: an instance that does not run exactly once, or a value that is stored before all are
/// computed.
[[nodiscard]] std::string run_fused(const RuleShape& rule, const TransformPlan& plan, const FusedSteps& steps,
                                    const TreeBlock& loops, const Values& sizes, const Point& lo, const Point& hi);

}  // namespace pb::testing
