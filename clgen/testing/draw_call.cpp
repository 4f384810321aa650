// SPDX-License-Identifier: MIT
#include "clgen/testing/draw_call.h"

#include <algorithm>

#include "clgen/facts/numbering.h"

namespace pb::testing {

std::optional<Values> draw_sizes(const Transform& transform, std::int64_t max_size, std::mt19937_64& random) {
  Values sizes;
  for (const std::string& name : transform.size_names())
    sizes[name] = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(max_size));
  for (const UserTunable& tunable : transform.tunables) sizes[tunable.name] = static_cast<std::int64_t>(tunable.min);
  if (!Oracle(transform, sizes).sizes_are_possible()) return std::nullopt;
  return sizes;
}

std::optional<std::map<SiteId, int>> draw_choices(const TransformPlan& plan, std::mt19937_64& random) {
  std::map<SiteId, int> choices;
  std::map<SiteId, std::size_t> alternatives;
  for (const SiteId id : plan.sites.ids()) {
    const Site& site = plan.sites[id];
    const std::size_t number = random() % site.alternatives.size();
    const Alternative& alternative = site.alternatives[number];
    const Version version = alternative.versions[random() % alternative.versions.size()];
    alternatives[id] = number;
    choices[id] = choice_index(site, alternative, version);
  }
  const auto is_made = [&](const ForbiddenChoice& forbidden) {
    return std::all_of(forbidden.begin(), forbidden.end(),
                       [&](const auto& part) { return alternatives[part.first] == part.second; });
  };
  if (std::any_of(plan.forbidden.begin(), plan.forbidden.end(), is_made)) return std::nullopt;
  return choices;
}

}  // namespace pb::testing
