// SPDX-License-Identifier: MIT
#include "choicegraph/passes/steps/find_classes.h"

#include <algorithm>
#include <utility>

namespace pb::choices {
namespace {

bool is_candidate(const Segment& segment, RuleId rule) {
  if (segment.only_small_sizes) return segment.candidates.front() == rule;
  return std::find(segment.candidates.begin(), segment.candidates.end(), rule) != segment.candidates.end();
}

Region instances_of(const Analysis& analysis, RuleId rule_id, SegmentId id) {
  const Rule& rule = analysis.rule(rule_id);
  const Segment& segment = analysis.plan.segments[id];
  Region out = Region::nothing(analysis.context, rule.domain.dims());
  for (const RegionAccess& access : rule.outputs)
    if (access.matrix == segment.matrix) out = out.unite(access.cells.preimage(analysis.segment_sets[id.index()]));
  if (!analysis.left_out.empty()) out = out.subtract(analysis.left_out[rule_id.index()]);
  return out.intersect_parameters(analysis.known).coalesce();
}

/// Cuts `classes` along the border of the instances that write `segment`.
void split_classes(std::vector<InstanceClass>& classes, RuleId rule, SegmentId segment, const Region& instances) {
  std::vector<InstanceClass> out;
  Region rest = instances;
  for (InstanceClass& old : classes) {
    Region both = old.instances.intersect(instances).coalesce();
    if (both.is_empty()) {
      out.push_back(std::move(old));
      continue;
    }
    rest = rest.subtract(old.instances).coalesce();
    Region others = old.instances.subtract(instances).coalesce();
    if (!others.is_empty()) out.push_back({rule, old.segments, std::move(others)});
    old.segments.push_back(segment);
    out.push_back({rule, std::move(old.segments), std::move(both)});
  }
  if (!rest.is_empty()) out.push_back({rule, {segment}, std::move(rest)});
  classes = std::move(out);
}

}  // namespace

void find_classes(Analysis& analysis) {
  for (const RuleId id : analysis.transform.rules.ids()) {
    const Rule& rule = analysis.rule(id);
    const bool never_shared = is_cell_rule(rule);
    std::vector<InstanceClass> classes;
    for (const SegmentId segment : analysis.plan.segments.ids()) {
      if (analysis.is_over()) return;
      if (!is_candidate(analysis.plan.segments[segment], id)) continue;
      Region instances = instances_of(analysis, id, segment);
      if (instances.is_empty()) continue;
      if (never_shared) {
        classes.push_back({id, {segment}, std::move(instances)});
      } else {
        split_classes(classes, id, segment, instances);
      }
    }
    for (InstanceClass& found : classes) analysis.classes.push_back(std::move(found));
  }
}

}  // namespace pb::choices
