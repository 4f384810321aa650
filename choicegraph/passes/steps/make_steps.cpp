// SPDX-License-Identifier: MIT
#include "choicegraph/passes/steps/make_steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "choicegraph/passes/loops/order_loops.h"
#include "lang/region/nest.h"

namespace pb::choices {
namespace {

/// Instances of one rule that run under the same alternatives of one site.
struct InstanceGroup {
  SiteId site;
  std::vector<bool> alternatives;         ///< under which they run, by index
  std::vector<SegmentId> segments;        ///< what the rule owns under them, and what it may own in other sites
  std::vector<SegmentId> left_to_others;  ///< segments of the site that it does not own then
  std::vector<std::size_t> classes;       ///< the classes of instances that make up the group
  Region all;
};

bool picks(const Analysis& analysis, const Alternative& alternative, SegmentId id, RuleId rule) {
  return alternative.rules[analysis.plan.segments[id].part] == rule;
}

/// The site that decides whether the instances run: one that always runs them if there is one, else the one that may.
std::optional<SiteId> deciding_site(const Analysis& analysis, const InstanceClass& found) {
  for (const bool always : {true, false}) {
    for (const SegmentId id : found.segments) {
      const SiteId site = analysis.plan.segments[id].site;
      const std::vector<Alternative>& alternatives = analysis.plan.sites[site].alternatives;
      const auto is_picked = [&](const Alternative& a) { return picks(analysis, a, id, found.rule); };
      const bool decides = always ? std::all_of(alternatives.begin(), alternatives.end(), is_picked)
                                  : std::any_of(alternatives.begin(), alternatives.end(), is_picked);
      if (decides) return site;
    }
  }
  return std::nullopt;
}

/// Splits the instances of a class into groups: one for each set of segments that alternatives of the deciding site
/// give to the rule.
std::vector<InstanceGroup> components_of(const Analysis& analysis, std::size_t class_index) {
  const InstanceClass& found = analysis.classes[class_index];
  std::vector<InstanceGroup> out;
  const auto site = deciding_site(analysis, found);
  if (!site) return out;
  const std::vector<Alternative>& alternatives = analysis.plan.sites[*site].alternatives;
  for (std::size_t a = 0; a < alternatives.size(); ++a) {
    InstanceGroup component{*site, std::vector<bool>(alternatives.size()), {}, {}, {class_index}, found.instances};
    bool is_chosen = false;
    for (const SegmentId id : found.segments) {
      const bool is_here = analysis.plan.segments[id].site == *site;
      const bool is_picked = is_here && picks(analysis, alternatives[a], id, found.rule);
      is_chosen = is_chosen || is_picked;
      (is_picked || !is_here ? component.segments : component.left_to_others).push_back(id);
    }
    if (!is_chosen) continue;
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const InstanceGroup& other) { return other.segments == component.segments; });
    InstanceGroup& target = same != out.end() ? *same : out.emplace_back(std::move(component));
    target.alternatives[a] = true;
  }
  return out;
}

void add_missing(std::vector<SegmentId>& ids, const std::vector<SegmentId>& more) {
  for (const SegmentId id : more)
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
}

bool share_segments(const InstanceGroup& a, const InstanceGroup& b) {
  const auto in_b = [&](SegmentId id) {
    return std::find(b.segments.begin(), b.segments.end(), id) != b.segments.end() ||
           std::find(b.left_to_others.begin(), b.left_to_others.end(), id) != b.left_to_others.end();
  };
  return std::any_of(a.segments.begin(), a.segments.end(), in_b) ||
         std::any_of(a.left_to_others.begin(), a.left_to_others.end(), in_b);
}

/// Adds `component` to those of its rule; joins the ones that run together and share segments.
void add_component(std::vector<InstanceGroup>& components, InstanceGroup component) {
  for (std::size_t i = 0; i < components.size();) {
    InstanceGroup& other = components[i];
    const bool together = other.site == component.site && other.alternatives == component.alternatives;
    if (!together || !share_segments(other, component)) {
      ++i;
      continue;
    }
    add_missing(component.segments, other.segments);
    add_missing(component.left_to_others, other.left_to_others);
    component.classes.insert(component.classes.end(), other.classes.begin(), other.classes.end());
    std::sort(component.classes.begin(), component.classes.end());
    component.all = component.all.unite(other.all).coalesce();
    components.erase(components.begin() + static_cast<std::ptrdiff_t>(i));
  }
  components.push_back(std::move(component));
}

/// The instances that run: those of the component. If no other instance has a candidate cell, those without any cell
/// run, too.
Region instances_to_run(const Analysis& analysis, RuleId id, const InstanceGroup& component) {
  const Rule& rule = analysis.rule(id);
  const Region domain = analysis.live_instances(id).intersect_parameters(analysis.known);
  Region with_cells = Region::nothing(analysis.context, domain.dims());
  for (const RegionAccess& access : rule.outputs) with_cells = with_cells.unite(access.cells.domain());
  if (domain.intersect(with_cells).is_subset(component.all)) return domain.coalesce();
  return component.all;
}

/// For a step whose instances are no box: gives its ordered loops bounds that name the loops outside.
void bound_loops(const Analysis& analysis, Step& step, const Region& instances, const RegionBox& box) {
  std::vector<std::string> vars;
  for (const LoopDim& loop : step.loops) vars.push_back(loop.var);
  RegionNest nest = loop_nest(instances, box, vars, analysis.known);
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

void add_step(Analysis& analysis, RuleId id, const InstanceGroup& component, const RegionBox& box) {
  const Rule& rule = analysis.rule(id);
  Step step;
  step.rule = id;
  step.site = component.site;
  step.segments = component.segments;
  step.left_to_others = component.left_to_others;
  for (std::size_t v = rule.vars.size(); v-- > 0;)
    step.loops.push_back({rule.vars[v].name, {box.dims[v].lo, box.dims[v].hi}});
  step.guards = box.guards;
  StepSets sets;
  sets.instances =
      region_of_box(analysis.context, rule.domain.dims(), box).intersect_parameters(analysis.known).coalesce();
  for (const RegionAccess& access : rule.outputs) sets.writes.push_back(access.cells.apply(sets.instances));
  for (const RegionAccess& access : rule.inputs) sets.reads.push_back(access.cells.apply(sets.instances));
  analysis.step_sets.push_back(std::move(sets));
  const StepId step_id = analysis.plan.steps.add(std::move(step));
  if (!order_loops(analysis, step_id)) analysis.ok = false;
  if (!box.conditions.empty())
    bound_loops(analysis, analysis.plan.steps[step_id], analysis.step_sets.back().instances, box);
}

void make_rule_steps(Analysis& analysis, RuleId id) {
  std::vector<InstanceGroup> components;
  const bool never_shared = is_cell_rule(analysis.rule(id));
  for (std::size_t i = 0; i < analysis.classes.size(); ++i) {
    if (analysis.classes[i].rule != id) continue;
    for (InstanceGroup& component : components_of(analysis, i)) {
      if (never_shared) {
        components.push_back(std::move(component));
      } else {
        add_component(components, std::move(component));
      }
    }
  }
  // Pieces of classes that an earlier component had. Several alternatives may run the same instances for different
  // segments.
  std::map<std::vector<std::size_t>, std::optional<std::vector<RegionBox>>> pieces;
  for (const InstanceGroup& component : components) {
    const auto [known, is_new] = pieces.try_emplace(component.classes);
    if (is_new) known->second = pieces_of(analysis, instances_to_run(analysis, id, component));
    if (!known->second) continue;
    for (const RegionBox& box : *known->second) add_step(analysis, id, component, box);
  }
}

}  // namespace

void make_steps(Analysis& analysis) {
  for (const RuleId id : analysis.transform.rules.ids()) make_rule_steps(analysis, id);
}

}  // namespace pb::choices
