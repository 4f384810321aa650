// SPDX-License-Identifier: MIT
#include "autotuner/search/evolution.h"

#include <algorithm>
#include <utility>

namespace pbtune {
namespace {

/// Whether two mutators change the same: a site, a value, or one of the values that say which form a rule's loops have.
/// A rule may have four of these, but that does not make it matter more.
bool has_same_subject(const Space& space, const Mutator& a, const Mutator& b) {
  if (a.site == b.site && a.tunable == b.tunable) return true;
  if (a.tunable < 0 || b.tunable < 0) return false;
  const pbrt::InfoIndex::TunableRef& of_a = space.index().tunable(a.tunable);
  const pbrt::InfoIndex::TunableRef& of_b = space.index().tunable(b.tunable);
  return pb::is_of_loop_forms(of_a.tunable->role) && pb::is_of_loop_forms(of_b.tunable->role) &&
         of_a.transform == of_b.transform && of_a.tunable->used_by == of_b.tunable->used_by;
}

}  // namespace

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
    if (groups.empty() || !has_same_subject(space_, *groups.back()[0], mutator)) groups.emplace_back();
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
