// SPDX-License-Identifier: MIT
// One transform on its way through the passes: exact sets that the Plan itself does not
// keep. Private to this folder; the passes run in the order of build_plan.cpp.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan.h"
#include "lang/diagnostics.h"
#include "lang/program.h"
#include "lang/region/affine.h"
#include "lang/region/region.h"

namespace pb::choices {

/// What a step does, exactly. Parallel to TransformPlan::steps.
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
  std::vector<InstanceClass> classes;  ///< of all rules, rule by rule
  std::vector<StepSets> step_sets;     ///< per step
  std::vector<Region> left_out = {};  ///< per rule: instances that do not run (liveness.h); empty: none of any rule
  std::set<RuleId> avoided = {};      ///< what no default takes if there is something else
  bool ok = true;

  /// Whether to stop: an error was reported, or regions became too complex. What is made from unknown regions is
  /// unknown too and may grow without bound, since no unknown region is empty.
  [[nodiscard]] bool is_over() const { return !ok || context.limit_exceeded(); }
  [[nodiscard]] bool exists_for_large_sizes(const Region& region) const { return !region.is_empty_for_large(sizes); }
  [[nodiscard]] const Rule& rule(RuleId id) const { return transform.rules[id]; }
  /// The instances of a rule but for those that are left out.
  [[nodiscard]] Region live_instances(RuleId id) const {
    return left_out.empty() ? rule(id).domain : rule(id).domain.subtract(left_out[id.index()]).coalesce();
  }
  [[nodiscard]] const Matrix& matrix(MatrixId id) const { return transform.matrices[id]; }
};

/// Sets up the sets that all passes share; none if an extent has no value or a rule no domain (reported before).
[[nodiscard]] std::optional<Analysis> begin_analysis(const Program& program, TransformId id, Diagnostics& diags);

/// Fills segments (without sites), segment_sets and uncovered.
void cut_grid(Analysis& analysis);
/// The cells of each matrix from which, by some rules, cells of results follow; of other matrices than temporaries all.
[[nodiscard]] std::vector<Region> needed_cells(const Analysis& analysis);
/// True if none of these cells of a temporary is needed, and instances that write them for themselves, beside results,
/// do not get into each other's way: then nothing is decided for them, and no rule runs for their sake.
[[nodiscard]] bool is_idle(const Analysis& analysis, const std::vector<Region>& needed, MatrixId matrix,
                           const Region& cells);
/// Reports cells of `matrix` in `missing` that no rule provides although sizes are large.
void report_uncovered(Analysis& analysis, MatrixId matrix, const Region& missing);
/// `cell 0`, `rows [2, 5)`: the cells as they are where sizes are large.
[[nodiscard]] std::string cells_in_words(const Analysis& analysis, MatrixId matrix, const Region& cells);
/// Fills `classes`.
void find_classes(Analysis& analysis);
/// Reports regions that end before they begin: an error where every size that has an instance has such a one.
void check_region_ends(Analysis& analysis);
/// Gives every segment its site; merges sites that a candidate ties together.
void find_sites(Analysis& analysis);
/// Makes the steps with their loops, and step_sets; their order is not yet right.
void make_steps(Analysis& analysis);
/// Orders the instances of a step so that each runs after those it reads from: its loops, perhaps a nest; false after an
/// error.
[[nodiscard]] bool order_loops(Analysis& analysis, StepId step);
/// True if `reader` reads cells that `writer` writes as an owner; once it is known what each step reads.
[[nodiscard]] bool reads_from(const Analysis& analysis, StepId reader, StepId writer);
/// Finds the edges between steps and what each step reads.
void find_edges(Analysis& analysis);
/// Examines the assignments of rules to the sites of each cycle of steps: adds a nest for steps that need each other,
/// and forbids what has no order. Reports a cycle that has none under any assignment.
void find_legal_choices(Analysis& analysis);
/// A nest that runs `steps`, which need each other, slice by slice or in tiles; none if there is no order.
[[nodiscard]] std::optional<Nest> find_nest(const Analysis& analysis, const std::vector<StepId>& steps);
/// Sorts the steps so that every assignment may use their order, where there is such an order.
void sort_steps(Analysis& analysis);
/// Warns of rules that run for little of what they make, since others overwrite the rest.
void warn_of_overwritten(Analysis& analysis);
/// The steps in that order.
[[nodiscard]] std::vector<StepId> sorted_steps(const TransformPlan& plan);
/// Keeps the steps of `order`, in that order; returns their new ids by the old ones. Edges and nests name no others.
std::vector<StepId> renumber_steps(TransformPlan& plan, const std::vector<StepId>& order);
/// Takes the order of the steps away that only ever run in a nest of several.
void leave_order_to_nests(TransformPlan& plan);
/// Whether the expression names one of the variables.
[[nodiscard]] bool names_any(const IndexExpr& expr, const std::vector<std::string>& vars);
/// Fills the input boxes of every step.
void find_input_boxes(Analysis& analysis);
/// Fills the versions of the sites' alternatives.
void find_versions(Analysis& analysis);
/// Fills where steps with device versions may be divided.
void find_device_shares(Analysis& analysis);
/// Fills the steps that run as one loop, from the steps, their order and their choices.
void find_fused_steps(TransformPlan& plan, const Transform& transform);
void list_tunables(Analysis& analysis);
/// Whether anything in the plan may read the tunable: versions, nests and loops; of the user's it is not known, so yes.
[[nodiscard]] bool is_read(const TransformPlan& plan, const Transform& transform, const PlanTunable& tunable);
void list_calls(Analysis& analysis);

/// Disjoint pieces of an exact set within the known sizes; none, with a message, if the set is too complex to say.
[[nodiscard]] std::optional<std::vector<RegionBox>> pieces_of(Analysis& analysis, const Region& region);
[[nodiscard]] std::vector<IndexRange> to_ranges(const std::vector<Interval>& dims);
/// True if instances of `rule` are single cells of one matrix, none written twice.
[[nodiscard]] bool is_cell_rule(const Rule& rule);
/// All cells of `matrix` that instances in `instances` write.
[[nodiscard]] Region cells_written(const Analysis& analysis, const Rule& rule, MatrixId matrix,
                                   const Region& instances);

}  // namespace pb::choices
