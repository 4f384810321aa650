// SPDX-License-Identifier: MIT
// What the passes know about the transform that they work on: exact sets that the Plan itself does not keep, and
// helpers that several passes share. Only the passes use it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/diagnostics.h"
#include "lang/program.h"
#include "lang/region/affine.h"
#include "lang/region/region.h"
#include "lang/region/region_box.h"
#include "lang/region/terms.h"

namespace pb::choices {

/// The exact sets of a step. Parallel to TransformPlan::steps.
struct StepSets {
  Region instances;            ///< over the rule's variables
  std::vector<Region> writes;  ///< per output of the rule: cells over all instances
  std::vector<Region> reads;   ///< per input
};

/// Instances of one rule that write cells of the same segments, those where the rule is a candidate.
struct InstanceClass {
  RuleId rule;
  std::vector<SegmentId> segments;
  Region instances;
};

struct Analysis {
  const Program& program;
  const Transform& transform;
  Diagnostics& diags;
  RegionContext context;
  Region known;  ///< sizes for which a call gets past its checks
  FormulaScope scope;
  std::vector<std::string> sizes;  ///< names of the size variables
  std::vector<Region> cells;       ///< per matrix
  TransformPlan plan;
  std::vector<Region> segment_sets;    ///< per segment
  std::vector<InstanceClass> classes;  ///< the classes of all rules, rule by rule
  std::vector<StepSets> step_sets;     ///< per step
  std::vector<Region> left_out = {};   ///< per rule: instances that do not run (liveness.h); empty: none of any rule
  std::set<RuleId> avoided = {};       ///< rules that no default takes if there is another one
  FoldOrders fold_orders = FoldOrders::SourceFirst;
  bool ok = true;

  /// Whether to stop: an error was reported, or regions became too complex. What is made from unknown regions is
  /// unknown too and may grow without bound, since no unknown region is empty.
  [[nodiscard]] bool is_over() const { return !ok || context.limit_exceeded(); }
  [[nodiscard]] bool exists_for_large_sizes(const Region& region) const { return !is_empty_for_large(region, sizes); }
  [[nodiscard]] const Rule& rule(RuleId id) const { return transform.rules[id]; }
  /// The instances of a rule except those that are left out.
  [[nodiscard]] Region live_instances(RuleId id) const {
    return left_out.empty() ? rule(id).domain : rule(id).domain.subtract(left_out[id.index()]).coalesce();
  }
  [[nodiscard]] const Matrix& matrix(MatrixId id) const { return transform.matrices[id]; }
};

/// Sets up the sets that all passes share; none if an extent has no value or a rule no domain (reported before).
[[nodiscard]] std::optional<Analysis> begin_analysis(const Program& program, TransformId id, Diagnostics& diags);

/// Disjoint pieces of an exact set within the known sizes; none, with a message, if the set is too complex.
[[nodiscard]] std::optional<std::vector<RegionBox>> pieces_of(Analysis& analysis, const Region& region);
[[nodiscard]] std::vector<IndexRange> to_ranges(const std::vector<Interval>& dims);
/// True if instances of `rule` are single cells of one matrix, none written twice.
[[nodiscard]] bool is_cell_rule(const Rule& rule);
/// All cells of `matrix` that instances in `instances` write.
[[nodiscard]] Region cells_written(const Analysis& analysis, const Rule& rule, MatrixId matrix,
                                   const Region& instances);

/// Whether the expression names one of the variables.
[[nodiscard]] bool names_any(const IndexExpr& expr, const std::vector<std::string>& vars);

}  // namespace pb::choices
