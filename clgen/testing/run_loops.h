// SPDX-License-Identifier: MIT
// Executes the lowered loops of CPU versions. Not part of the compiler.
#pragma once

#include <cstdint>
#include <string>

#include "choicegraph/testing/oracle.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/tree/loop_tree.h"

namespace pb::testing {

/// Runs the loops of `step` over the box from `lo` to before `hi` (dimension 0, the fastest loop, first) and returns
/// what is wrong, or nothing: an instance of the box that runs twice or not at all, another one that runs, instances
/// of loops that have an order out of it, or an instance without tests of which a cell lies outside of its matrix.
/// `sizes` have values for all size variables and tunables; `seed` decides what depends on the sizes of caches.
[[nodiscard]] std::string run_loops(const RuleShape& rule, const Step& step, const TreeBlock& loops,
                                    const Values& sizes, const Point& lo, const Point& hi, std::uint64_t seed);

/// Runs the loops of a nest's member over all tiles of the nest's rows, each of a few values of a row, and returns what
/// is wrong, or nothing: an instance of the member that runs twice or not at all, or another one that runs.
[[nodiscard]] std::string run_tiles(const RuleShape& rule, const TransformPlan& plan, const Nest& nest,
                                    const NestMember& member, const TreeBlock& loops, const Values& sizes,
                                    std::uint64_t seed);

/// Runs steps that are one loop over a box in the variables of the first one, and returns what is wrong, or nothing: an
/// instance that runs twice or not at all, or a value that is stored before all are computed. `rule`: of the first
/// step.
[[nodiscard]] std::string run_fused(const RuleShape& rule, const TransformPlan& plan, const FusedSteps& steps,
                                    const TreeBlock& loops, const Values& sizes, const Point& lo, const Point& hi);

}  // namespace pb::testing
