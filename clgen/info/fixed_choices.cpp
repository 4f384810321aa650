// SPDX-License-Identifier: MIT
#include "clgen/info/fixed_choices.h"

#include <algorithm>
#include <set>

#include "clgen/facts/numbering.h"
#include "lang/check.h"

namespace pb {
namespace {

std::size_t at(int id) { return static_cast<std::size_t>(id); }

/// Returns the alternative and version that `level` chooses by its position among the flattened choices of `site`.
FixedLevel level_of(const Site& site, const pbrt::Level& level) {
  int index = 0;
  for (std::size_t i = 0; i < site.alternatives.size(); ++i)
    for (const Version version : site.alternatives[i].versions)
      if (index++ == level.alternative) return {level.from, i, version, level.schedule, level.by};
  PB_CHECK(false, "a valid selector names choices of its site");
  return {};
}

/// Returns the sites, and those that a forbidden assignment ties to one of them.
std::set<SiteId> fixed_sites(const TransformPlan& plan, std::set<SiteId> sites) {
  for (std::size_t size = 0; size != sites.size();) {
    size = sites.size();
    for (const ForbiddenChoice& forbidden : plan.forbidden) {
      const auto is_fixed = [&](const auto& pair) { return sites.contains(pair.first); };
      if (std::none_of(forbidden.begin(), forbidden.end(), is_fixed)) continue;
      for (const auto& [site, alternative] : forbidden) sites.insert(site);
    }
  }
  return sites;
}

}  // namespace

FixedProgram fixed_choices(const Plan& plan, const pbrt::InfoIndex& index, const pbrt::Configuration& configuration,
                           const pbrt::NamedParts& named) {
  const Numbering numbering(plan);
  FixedProgram out;
  for (const TransformPlan& transform : plan.transforms) {
    FixedTransform fixed;
    std::set<SiteId> sites;
    for (const SiteId id : transform.sites.ids())
      if (named.sites.contains(numbering.site(transform.transform, id))) sites.insert(id);
    std::set<SiteId> with_schedules;  // several: which one counts is fixed together with what they say
    sites = fixed_sites(transform, std::move(sites));
    for (const SiteId id : sites)
      if (num_schedules(index, configuration, numbering.site(transform.transform, id)) > 1) with_schedules.insert(id);
    for (const SiteId id : sites)
      for (const pbrt::Level& level : configuration.sites[at(numbering.site(transform.transform, id))].levels)
        fixed.sites[id].push_back(level_of(transform.sites[id], level));
    for (std::size_t i = 0; i < transform.tunables.size(); ++i) {
      const int number = numbering.tunable(transform.transform, i);
      const auto site = schedule_site(transform, transform.tunables[i]);
      if (named.tunables.contains(number) || (site && with_schedules.contains(*site)))
        fixed.tunables[i] = configuration.tunables[at(number)];
    }
    out.transforms.push_back(std::move(fixed));
  }
  out.globals.openblas_coretype = configuration.openblas_coretype;
  const auto global = [&](int id) { return static_cast<std::int64_t>(configuration.tunables[at(id)].front()); };
  if (named.tunables.contains(pbrt::kTunableThreads))
    out.globals.threads = static_cast<int>(global(pbrt::kTunableThreads));
  if (named.tunables.contains(pbrt::kTunableSequentialCutoff))
    out.globals.sequential_cutoff = global(pbrt::kTunableSequentialCutoff);
  const int library_threads = index.find_tunable("", pbrt::kOpenBlasThreads);
  if (named.tunables.contains(library_threads))
    out.globals.openblas_threads = static_cast<int>(global(library_threads));
  const int large_pages = index.find_tunable("", pbrt::kLargePages);
  const int weights = index.find_tunable("", pbrt::kDeviceWeights);
  if (named.tunables.contains(weights)) out.globals.device_weights = configuration.tunables[at(weights)];
  if (named.tunables.contains(large_pages)) out.globals.large_pages = global(large_pages) != 0;
  return out;
}

}  // namespace pb
