// SPDX-License-Identifier: MIT
// Exact dependences between instances of steps: which instances need results of which, as differences of rule variables
// or of coordinates that steps share. Private to this folder; order_loops.cpp and find_nest.cpp find orders from them.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Dependences of the instances of one step on each other, as differences of its rule variables.
struct SelfDependence {
  Region needs;     ///< (writer - reader), never zero: the writer comes first
  Region overlaps;  ///< differences of instances that write the same cell
  /// An input by whose default or border some instances read cells that they write themselves; null if there is none.
  const RegionAccess* own_cell = nullptr;
};
[[nodiscard]] SelfDependence find_self_dependence(const Analysis& analysis, const Step& step, const Region& instances);

/// The instances of `before` that an instance of `after` waits for, because they make, as owners, what it reads, or
/// because they write cells first that it writes again. Unknown if there are neither.
[[nodiscard]] RegionMap needed_instances(const Analysis& analysis, StepId after, StepId before);

/// True if `owner`, and not `wide`, a step of another rule, decides the cells of `segment`, one of `owner`: what wide
/// instances write there is written again (docs/architecture.md 6.5).
[[nodiscard]] bool takes_over(const TransformPlan& plan, const Step& owner, const Step& wide, SegmentId segment);

/// Differences (writer - reader) of related instances in the dimensions `names`, at their coordinates. If reader and
/// writer are the same step, the difference zero is left out: it means the instance itself, or an order that the loops
/// inside must keep.
[[nodiscard]] Region coordinate_distances(const Analysis& analysis, const NestMember& reader, const NestMember& writer,
                                          const std::vector<std::string>& names);

/// Names of `count` dimensions that no program can use: `c0`, `c1`, …
[[nodiscard]] std::vector<std::string> coordinate_names(std::size_t count);

/// Gives each loop of `nest`, outermost first, its direction; false if one would have to go both ways.
[[nodiscard]] bool orient(std::vector<LoopDim>& nest, Region needs);
/// Gives the loops directions as orient does. It tries the nest as it is, then nests with one loop moved outside; false
/// if none has an order.
[[nodiscard]] bool orient_any(std::vector<LoopDim>& loops, const Region& needs);
/// Makes instances that write one cell twice run one after the other.
void separate_overlaps(std::vector<LoopDim>& loops, Region overlaps);

}  // namespace pb::choices
