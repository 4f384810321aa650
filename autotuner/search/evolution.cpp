// SPDX-License-Identifier: MIT
#include "autotuner/search/evolution.h"

#include <algorithm>
#include <utility>

namespace pbtune {

std::size_t Evolution::tournament(const Population& population) {
  // The better of two members drawn becomes the parent, so that good members have more children and none has all.
  const std::int64_t last = std::ssize(population.members()) - 1;
  return static_cast<std::size_t>(std::min(rng_.uniform_int(0, last), rng_.uniform_int(0, last)));
}

/// Draws first what to change (a site, a value, all sites), then how: sites have five mutators and values one, but
/// that says nothing about which matters.
const Mutator* Evolution::draw_mutator(const Candidate& parent) {
  std::vector<std::vector<const Mutator*>> groups;
  for (const Mutator& mutator : mutators_) {
    const bool is_dead_site = mutator.site >= 0 && !space_.is_site_relevant(mutator.site, parent.ran);
    const bool is_dead_tunable =
        mutator.tunable >= 0 && (!space_.is_tunable_relevant(mutator.tunable, parent.ran) ||
                                 !space_.has_what_it_needs(mutator.tunable, parent.configuration));
    if (is_dead_site || is_dead_tunable) continue;
    const bool is_new =
        groups.empty() || groups.back()[0]->site != mutator.site || groups.back()[0]->tunable != mutator.tunable;
    if (is_new) groups.emplace_back();
    groups.back().push_back(&mutator);
  }
  if (groups.empty()) return nullptr;
  const auto draw = [&](std::size_t size) {
    return static_cast<std::size_t>(rng_.uniform_int(0, static_cast<std::int64_t>(size) - 1));
  };
  const std::vector<const Mutator*>& group = groups[draw(groups.size())];
  return group[draw(group.size())];
}

std::optional<Proposal> Evolution::propose(const Population& population, std::int64_t n, const Claim& claim) {
  constexpr int kMaxMutations = 40;  // attempts to make a child that is new
  Proposal out;
  out.parent = tournament(population);
  const Candidate& parent = population.members()[out.parent];
  for (int i = 0; i < kMaxMutations; ++i) {
    const Mutator* mutator = draw_mutator(parent);
    if (mutator == nullptr) return std::nullopt;
    out.configuration = parent.configuration;
    if (!mutator->apply(out.configuration, rng_, n) || !claim(out.configuration)) continue;
    out.origin = mutator->name;
    return out;
  }
  return std::nullopt;
}

}  // namespace pbtune
