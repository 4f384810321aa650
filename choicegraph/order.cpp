// SPDX-License-Identifier: MIT
// Dependences between steps, and an order of the steps that every assignment may use.
#include <algorithm>
#include <set>
#include <utility>

#include "choicegraph/analysis.h"

namespace pb::choices {
namespace {

bool owns(const Step& step, SegmentId id) {
  return std::find(step.segments.begin(), step.segments.end(), id) != step.segments.end();
}

bool touches(const std::vector<RegionAccess>& accesses, const std::vector<Region>& cells, MatrixId matrix,
             const Region& part) {
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (accesses[i].matrix == matrix && cells[i].intersects(part)) return true;
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

/// True if `reader` reads cells that `writer` writes as an owner.
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

/// True if wide instances of `first` also write cells that `owner` computes (ARCHITECTURE 6.5).
bool is_overwritten_by(const Analysis& analysis, StepId first, StepId owner) {
  const Step& wide = analysis.plan.steps[first];
  const Step& step = analysis.plan.steps[owner];
  if (wide.rule == step.rule) return false;
  const std::vector<RegionAccess>& outputs = analysis.rule(wide.rule).outputs;
  for (const SegmentId segment : step.segments) {
    const bool decides_there = owns(wide, segment) && analysis.plan.segments[segment].site == wide.site;
    if (decides_there) continue;
    const MatrixId matrix = analysis.plan.segments[segment].matrix;
    if (touches(outputs, analysis.step_sets[first.index()].writes, matrix, analysis.segment_sets[segment.index()]))
      return true;
  }
  return false;
}

void find_edges(Analysis& analysis) {
  const std::vector<StepId> ids = analysis.plan.steps.ids();
  for (const StepId before : ids) {
    for (const StepId after : ids) {
      const TransformPlan& plan = analysis.plan;
      if (before == after || !may_run_together(plan, plan.steps[before], plan.steps[after])) continue;
      if (reads_from(analysis, after, before) || is_overwritten_by(analysis, before, after))
        analysis.plan.edges.push_back({before, after});
    }
  }
}

/// Rank for steps that no edge orders: as the segments stand in the header.
std::vector<StepId> preferred_order(const TransformPlan& plan) {
  std::vector<StepId> out = plan.steps.ids();
  std::stable_sort(out.begin(), out.end(),
                   [&](StepId a, StepId b) { return plan.steps[a].segments.front() < plan.steps[b].segments.front(); });
  return out;
}

/// The edge into `step` from another of the steps in `waiting`.
const StepEdge* edge_within(const TransformPlan& plan, StepId step, const std::set<StepId>& waiting) {
  for (const StepEdge& edge : plan.edges)
    if (edge.after == step && waiting.count(edge.before) != 0) return &edge;
  return nullptr;
}

std::string matrices_text(const Analysis& analysis, const Step& step) {
  std::vector<std::string> names;
  for (const SegmentId id : step.segments) {
    const std::string& name = analysis.matrix(analysis.plan.segments[id].matrix).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "`" : ", `") + name + "`";
  return out;
}

/// Walks back from some waiting step until one repeats, and prints the cycle found.
void report_cycle(Analysis& analysis, const std::set<StepId>& waiting) {
  std::vector<StepId> path{*waiting.begin()};
  std::size_t begin = 0;
  for (;;) {
    const StepEdge* edge = edge_within(analysis.plan, path.back(), waiting);
    if (edge == nullptr) return;
    const auto seen = std::find(path.begin(), path.end(), edge->before);
    begin = static_cast<std::size_t>(seen - path.begin());
    if (seen != path.end()) break;
    path.push_back(edge->before);
  }
  auto builder =
      analysis.diags.emit(DiagKind::CyclicSegments, analysis.rule(analysis.plan.steps[path[begin]].rule).span);
  for (std::size_t i = begin; i < path.size(); ++i) {
    const Step& after = analysis.plan.steps[path[i]];
    const Step& before = analysis.plan.steps[i + 1 < path.size() ? path[i + 1] : path[begin]];
    builder.note(analysis.rule(after.rule).span, "rule `" + analysis.rule(after.rule).name + "` needs a part of " +
                                                     matrices_text(analysis, before) + " that rule `" +
                                                     analysis.rule(before.rule).name + "` makes");
  }
}

/// Kahn's algorithm; none, with a message, if there is a cycle.
std::optional<std::vector<StepId>> sorted_steps(Analysis& analysis) {
  const std::vector<StepId> preferred = preferred_order(analysis.plan);
  std::set<StepId> waiting(preferred.begin(), preferred.end());
  std::vector<StepId> out;
  while (!waiting.empty()) {
    const auto next = std::find_if(preferred.begin(), preferred.end(), [&](StepId id) {
      return waiting.count(id) != 0 && edge_within(analysis.plan, id, waiting) == nullptr;
    });
    if (next == preferred.end()) {
      report_cycle(analysis, waiting);
      return std::nullopt;
    }
    out.push_back(*next);
    waiting.erase(*next);
  }
  return out;
}

void renumber(Analysis& analysis, const std::vector<StepId>& order) {
  std::vector<StepId> new_id(order.size());
  Store<StepId, Step> steps;
  std::vector<StepSets> sets;
  for (const StepId old : order) {
    new_id[old.index()] = steps.add(std::move(analysis.plan.steps[old]));
    sets.push_back(std::move(analysis.step_sets[old.index()]));
  }
  analysis.plan.steps = std::move(steps);
  analysis.step_sets = std::move(sets);
  for (StepEdge& edge : analysis.plan.edges) edge = {new_id[edge.before.index()], new_id[edge.after.index()]};
  std::sort(analysis.plan.edges.begin(), analysis.plan.edges.end());
}

}  // namespace

void order_steps(Analysis& analysis) {
  find_reads(analysis);
  find_edges(analysis);
  const auto order = sorted_steps(analysis);
  if (!order) {
    analysis.ok = false;
    return;
  }
  renumber(analysis, *order);
}

}  // namespace pb::choices
