// SPDX-License-Identifier: MIT
// Steps: which instances of a rule run for which segments, as loop nests. An instance
// produces all of its outputs, so segments that share instances share a step.
#include <algorithm>
#include <utility>

#include "choicegraph/analysis.h"

namespace pb::choices {
namespace {

/// Segments of one rule that share instances, with those instances.
struct Component {
  std::vector<SegmentId> segments;
  std::vector<Region> instances;  ///< per segment
  Region all;
};

bool is_candidate(const Segment& segment, RuleId rule) {
  if (segment.only_small_sizes) return segment.candidates.front() == rule;
  return std::find(segment.candidates.begin(), segment.candidates.end(), rule) != segment.candidates.end();
}

Region instances_of(const Analysis& analysis, const Rule& rule, SegmentId id) {
  const Segment& segment = analysis.plan.segments[id];
  Region out = Region::nothing(analysis.context, rule.domain.dims());
  for (const RegionAccess& access : rule.outputs)
    if (access.matrix == segment.matrix) out = out.unite(access.cells.preimage(analysis.segment_sets[id.index()]));
  return out.intersect_parameters(analysis.known).coalesce();
}

std::vector<Component> components_of(const Analysis& analysis, RuleId id) {
  const Rule& rule = analysis.rule(id);
  const bool never_shared = is_cell_rule(rule);
  std::vector<Component> out;
  for (const SegmentId segment : analysis.plan.segments.ids()) {
    if (!is_candidate(analysis.plan.segments[segment], id)) continue;
    const Region instances = instances_of(analysis, rule, segment);
    if (instances.is_empty()) continue;
    Component joined{{segment}, {instances}, instances};
    for (std::size_t i = 0; !never_shared && i < out.size();) {
      if (!out[i].all.intersects(instances)) {
        ++i;
        continue;
      }
      joined.segments.insert(joined.segments.end(), out[i].segments.begin(), out[i].segments.end());
      joined.instances.insert(joined.instances.end(), out[i].instances.begin(), out[i].instances.end());
      joined.all = joined.all.unite(out[i].all).coalesce();
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
    }
    out.push_back(std::move(joined));
  }
  return out;
}

bool is_single_choice(const Analysis& analysis, SegmentId id) {
  return analysis.plan.sites[analysis.plan.segments[id].site].alternatives.size() == 1;
}

/// The site whose choice decides about all instances of `component`; none if there is no such site.
std::optional<SiteId> deciding_site(const Analysis& analysis, const Rule& rule, const Component& component) {
  const auto site_of = [&](SegmentId id) { return analysis.plan.segments[id].site; };
  const SiteId first = site_of(component.segments.front());
  const auto same_site = [&](SegmentId id) { return site_of(id) == first; };
  if (std::all_of(component.segments.begin(), component.segments.end(), same_site)) return first;
  const auto no_choice = [&](SegmentId id) { return is_single_choice(analysis, id); };
  if (rule.outputs.size() > 1) {
    // All or none: without any choice that is certain.
    if (std::all_of(component.segments.begin(), component.segments.end(), no_choice)) return first;
    return std::nullopt;
  }
  // A wide instance that must run for one part produces the other parts too; who else is chosen there overwrites.
  for (std::size_t i = 0; i < component.segments.size(); ++i) {
    if (is_single_choice(analysis, component.segments[i]) && component.all.is_subset(component.instances[i]))
      return site_of(component.segments[i]);
  }
  return std::nullopt;
}

/// Instances that run: those of the component and, if no other instance has a candidate cell, those without any cell.
Region instances_to_run(const Analysis& analysis, const Rule& rule, const Component& component) {
  const Region domain = rule.domain.intersect_parameters(analysis.known);
  Region with_cells = Region::nothing(analysis.context, domain.dims());
  for (const RegionAccess& access : rule.outputs) with_cells = with_cells.unite(access.cells.domain());
  if (domain.intersect(with_cells).is_subset(component.all)) return domain.coalesce();
  return component.all;
}

bool has_parallel_loops_only(const Step& step) {
  return std::all_of(step.loops.begin(), step.loops.end(),
                     [](const LoopDim& loop) { return loop.order == LoopOrder::Parallel; });
}

/// Gives the ordered loops of a step whose instances are no box the bounds that name the loops outside.
void bound_loops(const Analysis& analysis, Step& step, const Region& instances, const RegionBox& box) {
  std::vector<std::string> vars;
  for (const LoopDim& loop : step.loops) vars.push_back(loop.var);
  RegionNest nest = instances.loop_nest(box, vars, analysis.known);
  if (nest.levels.size() != step.loops.size()) return;  // a limit was exceeded
  for (std::size_t i = 0; i < step.loops.size(); ++i) {
    LoopDim& loop = step.loops[i];
    NestLevel& level = nest.levels[i];
    loop.lower = std::move(level.lower);
    loop.upper = std::move(level.upper);
    loop.stride = level.stride;
    loop.offset = std::move(level.offset);
  }
  step.conditions = std::move(nest.conditions);
}

void add_step(Analysis& analysis, RuleId id, SiteId site, const Component& component, const RegionBox& box) {
  const Rule& rule = analysis.rule(id);
  Step step;
  step.rule = id;
  step.site = site;
  step.segments = component.segments;
  std::sort(step.segments.begin(), step.segments.end());
  for (std::size_t v = rule.vars.size(); v-- > 0;)
    step.loops.push_back({rule.vars[v].name, {box.dims[v].lo, box.dims[v].hi}});
  step.guards = box.guards;
  StepSets sets;
  sets.instances =
      Region::from_box(analysis.context, rule.domain.dims(), box).intersect_parameters(analysis.known).coalesce();
  for (const RegionAccess& access : rule.outputs) sets.writes.push_back(access.cells.apply(sets.instances));
  for (const RegionAccess& access : rule.inputs) sets.reads.push_back(access.cells.apply(sets.instances));
  if (!order_loops(analysis, step, sets.instances)) analysis.ok = false;
  if (!box.conditions.empty()) bound_loops(analysis, step, sets.instances, box);
  step.is_data_parallel = !step.loops.empty() && has_parallel_loops_only(step);
  analysis.plan.steps.add(std::move(step));
  analysis.step_sets.push_back(std::move(sets));
}

void make_rule_steps(Analysis& analysis, RuleId id) {
  const Rule& rule = analysis.rule(id);
  for (const Component& component : components_of(analysis, id)) {
    const auto site = deciding_site(analysis, rule, component);
    if (!site) {
      analysis.ok = false;
      analysis.diags.emit(DiagKind::SharedInstances, rule.span).arg(rule.name);
      continue;
    }
    const Region instances = instances_to_run(analysis, rule, component);
    const auto pieces = pieces_of(analysis, instances);
    if (!pieces) continue;
    for (const RegionBox& box : *pieces) add_step(analysis, id, *site, component, box);
  }
}

}  // namespace

void make_steps(Analysis& analysis) {
  for (const RuleId id : analysis.transform.rules.ids()) make_rule_steps(analysis, id);
}

}  // namespace pb::choices
