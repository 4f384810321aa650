// SPDX-License-Identifier: MIT
#include "autotuner/search/starting_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace pbtune {
namespace {

StartingPoint point(Configuration configuration, std::string origin, int seed = -1) {
  StartingPoint out;
  out.candidate.configuration = std::move(configuration);
  out.candidate.origin = std::move(origin);
  out.candidate.id = -1;
  out.seed = seed;
  return out;
}

}  // namespace

std::int64_t size_between(std::int64_t smaller_n, std::int64_t n) {
  return std::llround(std::sqrt(static_cast<double>(std::max<std::int64_t>(smaller_n, 1)) * static_cast<double>(n)));
}

StartingPoints::StartingPoints(const Space& space, const std::vector<NamedConfiguration>& known)
    : space_(space), known_(known), seeds_(space.seeds()), factors_(seeds_.size(), 1.0) {}

std::vector<int> StartingPoints::by_factor() const {
  std::vector<int> out(factors_.size());
  std::iota(out.begin(), out.end(), 0);
  std::stable_sort(out.begin(), out.end(), [&](int a, int b) {
    return factors_[static_cast<std::size_t>(a)] < factors_[static_cast<std::size_t>(b)];
  });
  return out;
}

std::vector<StartingPoint> StartingPoints::at(const SizeStep& step, std::vector<Candidate> members) const {
  const bool is_first = members.empty();
  const Configuration standard = space_.default_configuration();
  std::erase_if(members, [&](const Candidate& member) { return member.configuration == standard; });
  std::vector<StartingPoint> out;
  out.push_back(point(standard, "the default"));
  if (is_first)
    for (const NamedConfiguration& known : known_) out.push_back(point(known.configuration, known.name));
  if (members.empty()) {
    for (const int id : by_factor()) {
      const NamedConfiguration& seed = seeds_[static_cast<std::size_t>(id)];
      out.push_back(point(seed.configuration, seed.name, id));
    }
    return out;
  }
  const Configuration members_best = members[0].configuration;
  // First the best, and the best of those that make other choices where it matters most: also with the values that suit
  // the size before for this size.
  constexpr std::size_t kMostKinds = 3;
  std::vector<std::vector<int>> kinds;
  std::vector<Candidate> later;
  for (Candidate& member : members) {
    std::vector<int> kind = space_.main_choices(member.configuration, step.previous_n);
    if (kinds.size() == kMostKinds || std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
      later.push_back(std::move(member));
      continue;
    }
    kinds.push_back(std::move(kind));
    Configuration carried = member.configuration;
    space_.carry_up(step.previous_n, carried);
    const bool is_other = carried != member.configuration;
    const std::string words = "values of size " + std::to_string(step.previous_n) + " for " + member.origin;
    if (kinds.size() == 1 || !is_other) out.push_back({std::move(member)});
    if (is_other) out.push_back(point(std::move(carried), words));
  }
  // The best so far is kept for smaller sizes. From a size between the last one and this one on, each starting point
  // makes one choice everywhere. The other members are like those before, so they come later.
  Configuration best = members_best;
  space_.carry_up(step.previous_n, best);
  const std::int64_t from = size_between(step.previous_n, step.n);
  const auto graft_seed = [&](int id, const std::vector<std::vector<double>>& tunables, const std::string& words) {
    const NamedConfiguration& seed = seeds_[static_cast<std::size_t>(id)];
    Configuration grafted = graft(best, seed.configuration, from);
    grafted.tunables = tunables;
    name_known_schedules(space_.index(), grafted);
    (void)pbrt::repair_forbidden(space_.index(), grafted);  // a forbidden configuration becomes the nearest legal one
    out.push_back(point(std::move(grafted), seed.name + " from " + std::to_string(from) + words, id));
  };
  for (const int id : by_factor()) {
    const NamedConfiguration& seed = seeds_[static_cast<std::size_t>(id)];
    if (step.has_pure) out.push_back(point(seed.configuration, seed.name, id));
    graft_seed(id, best.tunables, "");
  }
  for (Candidate& member : later) out.push_back({std::move(member)});
  // What suits the best choice need not suit another one.
  for (const int id : by_factor()) {
    const std::vector<std::vector<double>>& own = seeds_[static_cast<std::size_t>(id)].configuration.tunables;
    if (step.is_last || own != standard.tunables) graft_seed(id, own, ", own values");
  }
  return out;
}

std::vector<StartingPoint> StartingPoints::first_of(const std::vector<Candidate>& candidates) const {
  std::vector<StartingPoint> out{point(space_.default_configuration(), "the default")};
  for (const Candidate& candidate : candidates) out.push_back(point(candidate.configuration, candidate.origin));
  return out;
}

double StartingPoints::factor(const StartingPoint& start) const {
  return start.seed >= 0 ? factors_[static_cast<std::size_t>(start.seed)] : 1;
}

void StartingPoints::note(const StartingPoint& start, double factor) {
  if (start.seed >= 0) factors_[static_cast<std::size_t>(start.seed)] = factor;
}

}  // namespace pbtune
