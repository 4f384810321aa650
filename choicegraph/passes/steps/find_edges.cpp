// SPDX-License-Identifier: MIT
#include "choicegraph/passes/steps/find_edges.h"

#include <algorithm>
#include <set>

#include "choicegraph/passes/loops/dependences.h"

namespace pb::choices {
namespace {

bool owns(const Step& step, SegmentId id) {
  return std::find(step.segments.begin(), step.segments.end(), id) != step.segments.end();
}

bool touches(const std::vector<RegionAccess>& accesses, const std::vector<Region>& cells, MatrixId matrix,
             const Region& part) {
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (accesses[i].matrix == matrix && intersects(cells[i], part)) return true;
  return false;
}

void find_reads(Analysis& analysis) {
  for (const StepId id : analysis.plan.steps.ids()) {
    Step& step = analysis.plan.steps[id];
    const std::vector<RegionAccess>& inputs = analysis.rule(step.rule).inputs;
    const StepSets& sets = analysis.step_sets[id.index()];
    for (const SegmentId segment : analysis.plan.segments.ids()) {
      const MatrixId matrix = analysis.plan.segments[segment].matrix;
      if (touches(inputs, sets.reads, matrix, analysis.segment_sets[segment.index()])) step.reads.push_back(segment);
    }
  }
}

}  // namespace

bool reads_from(const Analysis& analysis, StepId reader, StepId writer) {
  const Step& from = analysis.plan.steps[writer];
  const std::vector<RegionAccess>& outputs = analysis.rule(from.rule).outputs;
  const StepSets& read = analysis.step_sets[reader.index()];
  const StepSets& written = analysis.step_sets[writer.index()];
  const std::vector<RegionAccess>& inputs = analysis.rule(analysis.plan.steps[reader].rule).inputs;
  for (const SegmentId segment : analysis.plan.steps[reader].reads) {
    if (!owns(from, segment)) continue;
    const MatrixId matrix = analysis.plan.segments[segment].matrix;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].matrix != matrix) continue;
      if (touches(inputs, read.reads, matrix, written.writes[i].intersect(analysis.segment_sets[segment.index()])))
        return true;
    }
  }
  return false;
}

namespace {

/// True if wide instances of `first` also write cells that `owner` computes (docs/architecture.md 6.5).
bool is_overwritten_by(const Analysis& analysis, StepId first, StepId owner) {
  const Step& wide = analysis.plan.steps[first];
  const Step& step = analysis.plan.steps[owner];
  const std::vector<RegionAccess>& outputs = analysis.rule(wide.rule).outputs;
  for (const SegmentId segment : step.segments) {
    if (!takes_over(analysis.plan, step, wide, segment)) continue;
    const MatrixId matrix = analysis.plan.segments[segment].matrix;
    if (touches(outputs, analysis.step_sets[first.index()].writes, matrix, analysis.segment_sets[segment.index()]))
      return true;
  }
  return false;
}

/// True if instances of the steps, of one rule, write the same cells.
bool write_the_same(const Analysis& analysis, StepId a, StepId b) {
  const RuleId rule = analysis.plan.steps[a].rule;
  if (rule != analysis.plan.steps[b].rule || is_cell_rule(analysis.rule(rule))) return false;
  const std::vector<RegionAccess>& outputs = analysis.rule(rule).outputs;
  const std::vector<Region>& written = analysis.step_sets[b.index()].writes;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (touches(outputs, written, outputs[i].matrix, analysis.step_sets[a.index()].writes[i])) return true;
  return false;
}

/// Whether edges lead from one step to the other.
bool reaches(const std::vector<StepEdge>& edges, StepId from, StepId to) {
  std::set<StepId> seen{from};
  std::vector<StepId> next{from};
  while (!next.empty()) {
    const StepId at = next.back();
    next.pop_back();
    if (at == to) return true;
    for (const StepEdge& edge : edges)
      if (edge.before == at && seen.insert(edge.after).second) next.push_back(edge.after);
  }
  return false;
}

/// Adds edges between steps of one rule that write the same cells, so that they run one after the other. Where nothing
/// else orders them, they run in the order of the steps.
void separate_steps(Analysis& analysis) {
  const TransformPlan& plan = analysis.plan;
  const std::vector<StepId> ids = plan.steps.ids();
  for (const StepId first : ids) {
    for (const StepId second : ids) {
      if (second <= first || !may_run_together(plan, plan.steps[first], plan.steps[second])) continue;
      if (!write_the_same(analysis, first, second)) continue;
      const bool is_reversed = reaches(plan.edges, second, first);
      analysis.plan.edges.push_back(is_reversed ? StepEdge{second, first} : StepEdge{first, second});
    }
  }
  std::vector<StepEdge>& edges = analysis.plan.edges;
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

}  // namespace

void find_edges(Analysis& analysis) {
  find_reads(analysis);
  const std::vector<StepId> ids = analysis.plan.steps.ids();
  for (const StepId before : ids) {
    for (const StepId after : ids) {
      const TransformPlan& plan = analysis.plan;
      if (before == after || !may_run_together(plan, plan.steps[before], plan.steps[after])) continue;
      if (is_overwritten_by(analysis, before, after) || reads_from(analysis, after, before))
        analysis.plan.edges.push_back({before, after});
    }
  }
  separate_steps(analysis);
}

}  // namespace pb::choices
