// SPDX-License-Identifier: MIT
// Near the end of a search: what the winner has otherwise than the default, without being faster for it, is taken back.
// See Note [Why little stays].
#include <algorithm>

#include "autotuner/search/in_turns.h"
#include "autotuner/search/search.h"
#include "runtime/config/random_configuration.h"

namespace pbtune {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kSlowest = 4;           // times the winner: slower ones are cut off
constexpr double kMuch = 0.1;            // from the first rounds on, this much slower is no equal
constexpr double kMostUnproven = 0.03;   // how much slower an equal may seem
constexpr double kMostPossible = 0.06;   // and may be, as far as the times can tell
constexpr int kMostFactor = 3;           // at most as many times the rounds that the effort asks for, while undecided

bool is_for_accuracy(const TunableGene& gene) {
  return gene.info->role == pbrt::TunableRole::Accuracy || gene.info->role == pbrt::TunableRole::ForEnough;
}

}  // namespace

std::vector<NamedConfiguration> Space::reversions(const Configuration& configuration, std::int64_t n) const {
  const Configuration standard = default_configuration();
  std::vector<NamedConfiguration> out;
  const auto add = [&](NamedConfiguration plain) {
    const auto is_same = [&](const NamedConfiguration& other) { return other.configuration == plain.configuration; };
    if (plain.configuration != configuration && std::none_of(out.begin(), out.end(), is_same) && pbrt::is_allowed(*index_, plain.configuration)) out.push_back(std::move(plain));
  };
  for (const SiteGene& gene : sites_) {
    const auto id = static_cast<std::size_t>(gene.id);
    const Selector& selector = configuration.sites[id];
    const pbrt::TransformInfo& transform = *index_->site(gene.id).transform;
    const std::string name = transform.sites.size() == 1 ? transform.name : index_->site_name(gene.id);
    const auto level = std::find_if(selector.levels.rbegin(), selector.levels.rend(),
                                    [&](const pbrt::Level& other) { return other.from <= n; });
    NamedConfiguration plain{"the default's choice of " + name, configuration};
    if (level != selector.levels.rend())
      plain.configuration.sites[id] = graft(selector, Selector{{{0, standard.sites[id].select(n)}}}, level->from);
    add(std::move(plain));
    // In a program that calls itself the levels below are part of the run; in others they are for other sizes.
    for (std::size_t i = 0; options_.is_recursive && selector.levels.size() > 1 && i < selector.levels.size(); ++i) {
      NamedConfiguration fewer{name + (i == 0 ? " without its choice below " + std::to_string(selector.levels[1].from)
                                              : " without its choice from " + std::to_string(selector.levels[i].from) + " on"),
                               configuration};
      std::vector<pbrt::Level>& levels = fewer.configuration.sites[id].levels;
      levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i));
      levels[0].from = 0;
      simplify(fewer.configuration.sites[id]);
      add(std::move(fewer));
    }
  }
  for (const TunableGene& gene : tunables_) {
    if (is_for_accuracy(gene) || gene.info->is_size_specific) continue;
    const auto id = static_cast<std::size_t>(gene.id);
    NamedConfiguration plain{"the default of " + index_->tunable_name(gene.id), configuration};
    plain.configuration.tunables[id] = standard.tunables[id];
    add(std::move(plain));
  }
  return out;
}

/// Measures both in turns until it is clear whether `plain` is slower. The result is how many times as slow it is, beside
/// `winner` in the same rounds. It is 0 if nothing is lost; `plain` then has its times. It is none if this machine, or the time
/// left, does not say.
std::optional<double> Search::loss_of(Candidate& plain, const Candidate& winner, double end_s) {
  std::vector<Candidate> both{plain, winner};
  for (Candidate& candidate : both) candidate.times_ns.clear();
  const double limit = limit_ms(median(winner.times_ns), kSlowest);
  for (int round = 0; round < kMostFactor * options_.final_trials; ++round) {
    publish("leaving out what does not matter");
    if (evaluator_.elapsed_s() > end_s) return std::nullopt;
    in_turns(both, round, [&](Candidate& candidate) {
      if (!measure(candidate, 1, limit, true)) candidate.times_ns.clear();
    });
    if (both[1].times_ns.empty() || !both[0].meets_accuracy) return std::nullopt;
    if (both[0].times_ns.size() != both[1].times_ns.size()) return kSlowest;
    const PairedRatio found = paired_ratio(both[0].times_ns, both[1].times_ns, kConfidence);
    const bool is_slower = found.lo > 1 && found.ratio > 1 + (round + 1 < options_.final_trials ? kMuch : kMostUnproven);
    if (is_slower) return found.ratio;
    const bool is_equal = found.ratio <= 1 + kMostUnproven && found.hi <= 1 + kMostPossible;
    if (round + 1 < options_.final_trials || !is_equal) continue;
    confirm(both[0]);
    plain = both[0];
    return plain.meets_accuracy ? std::optional<double>(0) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, double>> Search::take_back(Candidate& winner) {
  const double end_s = end_before_parts(num_final_parts() - 2);
  const Candidate original = winner;  // what all are compared with: many small losses would add up
  std::vector<std::pair<std::string, double>> losses;
  if (!original.meets_accuracy) return losses;
  std::vector<NamedConfiguration> left = space_.reversions(winner.configuration, n_);
  while (!left.empty()) {
    const NamedConfiguration reversion = std::move(left.front());
    left.erase(left.begin());
    Candidate plain = original;
    plain.configuration = reversion.configuration;
    plain.is_confirmed = false;
    const std::optional<double> loss = loss_of(plain, original, end_s);
    if (loss && *loss > 0) losses.emplace_back(reversion.name, *loss);
    if (!loss || *loss > 0) continue;
    winner = std::move(plain);
    // The other differences are tried next, now on top of this one.
    const auto is_open = [&](const NamedConfiguration& other) {
      return std::any_of(left.begin(), left.end(), [&](const NamedConfiguration& known) { return known.name == other.name; });
    };
    std::vector<NamedConfiguration> now = space_.reversions(winner.configuration, n_);
    std::erase_if(now, [&](const NamedConfiguration& other) { return !is_open(other); });
    left = std::move(now);
  }
  return losses;
}

}  // namespace pbtune

// Note [Why little stays]
// A population drifts: among hundreds of children some seem faster by luck and bring a changed value along that does
// nothing, or is worse at other sizes. Who reads a configuration wants to see what matters on this machine. So each
// difference is set back for itself and measured beside the winner; it stays only where something is lost without it.
