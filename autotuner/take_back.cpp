// SPDX-License-Identifier: MIT
// Near the end of a search: what the winner has otherwise than the default, without being faster for it, is taken back.
// See Note [Why little stays].
#include <algorithm>

#include "autotuner/in_turns.h"
#include "autotuner/search.h"
#include "runtime/config/random_configuration.h"

namespace pbtune {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kSlowest = 4;           // times the winner: slower ones are cut off
constexpr double kTooMuch = 0.1;         // from the first rounds on, this much slower is no equal
constexpr double kMostUnproven = 0.03;   // how much slower one may seem, without proof, and yet count as equal

bool is_for_accuracy(const TunableGene& gene) {
  return gene.info->role == pbrt::TunableRole::Accuracy || gene.info->role == pbrt::TunableRole::ForEnough;
}

}  // namespace

std::vector<NamedConfiguration> Space::reversions(const Configuration& configuration, std::int64_t n) const {
  const Configuration standard = default_configuration();
  std::vector<NamedConfiguration> out;
  const auto add = [&](NamedConfiguration plain) {
    if (plain.configuration != configuration && pbrt::is_allowed(*index_, plain.configuration)) out.push_back(std::move(plain));
  };
  for (const SiteGene& gene : sites_) {
    const auto id = static_cast<std::size_t>(gene.id);
    const Selector& selector = configuration.sites[id];
    const std::string name = index_->site_name(gene.id);
    const auto level = std::find_if(selector.levels.rbegin(), selector.levels.rend(),
                                    [&](const pbrt::Level& other) { return other.from <= n; });
    NamedConfiguration plain{"the default's choice of " + name, configuration};
    if (level != selector.levels.rend())
      plain.configuration.sites[id] = graft(selector, Selector{{{0, standard.sites[id].select(n)}}}, level->from);
    add(std::move(plain));
    // Of a program that calls itself the levels below are part of the run; of others they are for other sizes.
    for (std::size_t i = 0; options_.is_recursive && selector.levels.size() > 1 && i < selector.levels.size(); ++i) {
      NamedConfiguration fewer{"one level less of " + name, configuration};
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

/// Measures both in turns, until it is clear that `plain` is slower, or as often as the effort asks for. Its times, which
/// it has afterwards, are compared with those of `winner` in the same rounds.
bool Search::is_as_good(Candidate& plain, const Candidate& winner, double end_s) {
  std::vector<Candidate> both{plain, winner};
  for (Candidate& candidate : both) candidate.times_ns.clear();
  const double limit = limit_ms(median(winner.times_ns), kSlowest);
  const auto slower = [&] { return paired_ratio(both[0].times_ns, both[1].times_ns, kConfidence); };
  for (int round = 0; round < options_.final_trials; ++round) {
    publish("leaving out what does not matter");
    if (evaluator_.elapsed_s() > end_s) return false;
    bool is_good = true;
    in_turns(both, round, [&](Candidate& candidate) { is_good = is_good && measure(candidate, 1, limit, true); });
    if (!is_good || !both[0].meets_accuracy) return false;
    if (round + 1 >= options_.min_trials && slower().ratio > 1 + kTooMuch) return false;
  }
  confirm(both[0]);
  plain = both[0];
  const PairedRatio found = slower();
  return plain.meets_accuracy &&
         (found.ratio <= 1 + options_.matters || (found.lo <= 1 && found.ratio <= 1 + kMostUnproven));
}

void Search::take_back(Candidate& winner) {
  const double end_s = options_.budget_s - final_reserve_s() * (num_final_stages() - 1) / num_final_stages();
  const Candidate original = winner;  // what all are compared with: many small losses would add up
  std::set<std::string> refused;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (NamedConfiguration& reversion : space_.reversions(winner.configuration, n_)) {
      if (!original.meets_accuracy || evaluator_.elapsed_s() > end_s) return;
      if (!refused.insert(reversion.name + fingerprint(space_.index(), reversion.configuration)).second) continue;
      Candidate plain = original;
      plain.configuration = std::move(reversion.configuration);
      plain.is_confirmed = false;
      if (!is_as_good(plain, original, end_s)) continue;
      winner = std::move(plain);
      is_changed = true;
      break;
    }
  }
}

}  // namespace pbtune

// Note [Why little stays]
// A population drifts: among hundreds of children some seem faster by luck and bring a changed value along that does
// nothing, or is worse at other sizes. Who reads a configuration wants to see what matters on this machine. So each
// difference is set back for itself and measured beside the winner; it stays only where something is lost without it.
