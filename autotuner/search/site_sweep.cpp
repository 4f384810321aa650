// SPDX-License-Identifier: MIT
#include "autotuner/search/site_sweep.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pbtune {

bool is_worth_a_run(double factor, double best_s, double left_s) {
  constexpr double kFarBehind = 3;
  constexpr double kLittle = 0.01;  // a run that takes a smaller part of the time left costs nothing
  if (std::isinf(factor)) return false;
  return factor < kFarBehind || factor * best_s < kLittle * left_s;
}

std::vector<RanChoice> SiteSweep::others(const Configuration& configuration, const std::vector<RanChoice>& ran,
                                         std::int64_t n) const {
  std::vector<RanChoice> out;
  for (const SiteGene& gene : space_.sites()) {
    if (!space_.is_site_relevant(gene.id, ran)) continue;
    const int chosen = configuration.sites[static_cast<std::size_t>(gene.id)].select(n);
    for (const int alternative : gene.choices)
      if (alternative != chosen) out.push_back({gene.id, alternative});
  }
  const std::string& measured = space_.options().measured;
  const auto is_inner = [&](const RanChoice& choice) {
    return space_.index().site(choice.site).transform->name != measured;
  };
  std::stable_sort(out.begin(), out.end(), [&](const RanChoice& a, const RanChoice& b) {
    if (is_inner(a) != is_inner(b)) return is_inner(b);
    return factor(a) < factor(b);
  });
  return out;
}

std::vector<RanChoice> SiteSweep::promising(const Configuration& configuration, std::int64_t n) const {
  constexpr double kNearly = 1.5;
  std::vector<RanChoice> out = others(configuration, {}, n);
  std::erase_if(out, [&](const RanChoice& choice) {
    const bool is_known = factors_.contains({choice.site, choice.alternative});
    return !is_known || factor(choice) > kNearly ||
           space_.index().site(choice.site).transform->name != space_.options().measured;
  });
  return out;
}

Configuration SiteSweep::with(Configuration configuration, const RanChoice& choice, std::int64_t from) const {
  Selector& selector = configuration.sites[static_cast<std::size_t>(choice.site)];
  Selector alone;
  alone.levels = {{0, choice.alternative}};
  selector = from > 0 ? graft(selector, alone, from) : alone;
  (void)pbrt::repair_forbidden(space_.index(),
                               configuration);  // a forbidden configuration becomes the nearest legal one
  return configuration;
}

double SiteSweep::factor(const RanChoice& choice) const {
  const auto found = factors_.find({choice.site, choice.alternative});
  return found == factors_.end() ? 1 : found->second;
}

}  // namespace pbtune

// Note [One change at a time]
// Starting points make the same choice at every site: where a recursion and what is at its end are two sites, none of
// them has the right rule at both. Random children find such a pair in time where a run takes a millisecond. Where it
// takes a second, a search has fewer runs than sites have choices. So at each size, before children are drawn, the best
// is compared with its neighbours in turn, without those that were far behind at a smaller size.
