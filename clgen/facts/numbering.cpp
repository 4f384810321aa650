// SPDX-License-Identifier: MIT
#include "clgen/facts/numbering.h"

#include <algorithm>
#include <set>

#include "runtime/config/info.h"

namespace pb {

bool is_decision(const Site& site) {
  std::size_t count = 0;
  for (const Alternative& alternative : site.alternatives) count += alternative.versions.size();
  return count > 1;
}

bool is_listed(const Site& site) { return is_decision(site) || !site.fixed.empty(); }

std::optional<SiteId> schedule_site(const TransformPlan& plan, const PlanTunable& tunable) {
  if (!tunable.rule || tunable.user) return std::nullopt;
  const std::set<SiteId> sites = sites_of(plan, *tunable.rule);
  if (sites.size() != 1 || !is_listed(plan.sites[*sites.begin()])) return std::nullopt;
  return *sites.begin();
}

int choice_index(const Site& site, const Alternative& alternative, Version version) {
  int index = 0;
  for (const Alternative& other : site.alternatives) {
    for (const Version candidate : other.versions) {
      if (&other == &alternative && candidate == version) return index;
      ++index;
    }
  }
  return -1;
}

std::vector<int> choices_running(const TransformPlan& plan, const Step& step, Version version) {
  std::vector<int> out;
  const Site& site = plan.sites[step.site];
  for (const Alternative& alternative : site.alternatives) {
    if (!runs(plan, alternative, step)) continue;
    const int index = choice_index(site, alternative, version);
    if (index >= 0) out.push_back(index);
  }
  return out;
}

bool has_kernels(const Plan& plan) {
  for (const TransformPlan& transform : plan.transforms)
    for (const Step& step : transform.steps)
      for (const Version version : kDeviceVersions)
        if (!choices_running(transform, step, version).empty()) return true;
  return false;
}

Numbering::Numbering(const Plan& plan) {
  int next_site = 0;
  auto next_tunable = static_cast<int>(pbrt::kNumStandardGlobals);
  for (const TransformPlan& transform : plan.transforms) {
    std::vector<int> numbers;
    for (const Site& site : transform.sites) numbers.push_back(is_listed(site) ? next_site++ : -1);
    sites_.push_back(numbers);
    first_tunable_.push_back(next_tunable);
    next_tunable += static_cast<int>(transform.tunables.size());
  }
}

int Numbering::site(TransformId transform, SiteId site) const { return sites_[transform.index()][site.index()]; }

int Numbering::tunable(TransformId transform, std::size_t index) const {
  return first_tunable_[transform.index()] + static_cast<int>(index);
}

}  // namespace pb
