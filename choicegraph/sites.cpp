// SPDX-License-Identifier: MIT
// Choice sites: segments with the same candidate list, over all matrices, are one decision.
#include <algorithm>

#include "choicegraph/analysis.h"

namespace pb::choices {
namespace {

SiteId site_of(Analysis& analysis, const std::vector<RuleId>& rules) {
  for (const SiteId id : analysis.plan.sites.ids()) {
    const Site& site = analysis.plan.sites[id];
    const auto same = [](const Alternative& alternative, RuleId rule) { return alternative.rule == rule; };
    if (std::equal(site.alternatives.begin(), site.alternatives.end(), rules.begin(), rules.end(), same)) return id;
  }
  Site site;
  for (const RuleId rule : rules) {
    site.name += (site.name.empty() ? "" : "|") + analysis.rule(rule).name;
    site.alternatives.push_back({rule, {Version::Cpu}, std::nullopt, std::nullopt});
  }
  return analysis.plan.sites.add(std::move(site));
}

}  // namespace

void find_sites(Analysis& analysis) {
  // Decisions first: a segment that exists at small sizes only must not come between them.
  for (const bool small : {false, true}) {
    for (const SegmentId id : analysis.plan.segments.ids()) {
      Segment& segment = analysis.plan.segments[id];
      if (segment.only_small_sizes != small) continue;
      segment.site = site_of(analysis, small ? std::vector<RuleId>{segment.candidates.front()} : segment.candidates);
      analysis.plan.sites[segment.site].segments.push_back(id);
    }
  }
}

}  // namespace pb::choices
