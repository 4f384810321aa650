// SPDX-License-Identifier: MIT
#include "autotuner/search/take_back.h"

#include <algorithm>
#include <optional>

#include "autotuner/search/in_turns.h"

namespace pbtune {
namespace {

constexpr double kSlowest = 4;           // a configuration slower than the winner by this factor is cut off
constexpr double kMuch = 0.1;            // relative loss that counts as real from the first rounds on
constexpr double kEqualUnproven = 0.03;  // an equal configuration may seem slower by at most this
constexpr double kEqualPossible = 0.06;  // and the times must rule out that it is slower by more than this
constexpr int kMostFactor = 3;  // an undecided comparison takes at most this many times the rounds of the effort

/// Measures both in turns until it is clear whether `plain` is slower. The result is the factor by which it is slower
/// than `winner` in the same rounds. It is 0 if nothing is lost; `plain` then has its times. It is none if the time
/// left does not suffice to tell.
std::optional<double> loss_of(const FinalsContext& context, Candidate& plain, const Candidate& winner, double end_s) {
  std::vector<Candidate> both{plain, winner};
  for (Candidate& candidate : both) candidate.times_ns.clear();
  const double limit = limit_ms(median(winner.times_ns), kSlowest);
  for (int round = 0; round < kMostFactor * context.options.final_trials; ++round) {
    context.on_phase("leaving out what does not matter");
    if (context.trials.elapsed_s() > end_s) return std::nullopt;
    in_turns(both, round, [&](Candidate& candidate) {
      if (!context.trials.measure(candidate, 1, limit, true)) candidate.times_ns.clear();
    });
    if (both[1].times_ns.empty() || !both[0].meets_accuracy) return std::nullopt;
    if (both[0].times_ns.size() != both[1].times_ns.size()) return kSlowest;
    const PairedRatio found = paired_ratio(both[0].times_ns, both[1].times_ns, kConfidence);
    const bool is_slower =
        found.lo > 1 && found.ratio > 1 + (round + 1 < context.options.final_trials ? kMuch : kEqualUnproven);
    if (is_slower) return found.ratio;
    const bool is_equal = found.ratio <= 1 + kEqualUnproven && found.hi <= 1 + kEqualPossible;
    if (round + 1 < context.options.final_trials || !is_equal) continue;
    context.trials.confirm(both[0]);
    plain = both[0];
    return plain.meets_accuracy ? std::optional<double>(0) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Losses take_back(const FinalsContext& context, Candidate& winner) {
  const double end_s = context.end_before_parts(context.schedule.num_final_parts() - 2);
  const Candidate original = winner;  // everything is compared with this one, since many small losses would add up
  Losses losses;
  if (!original.meets_accuracy) return losses;
  std::vector<NamedConfiguration> left = context.space.reversions(winner.configuration, context.trials.n());
  while (!left.empty()) {
    const NamedConfiguration reversion = std::move(left.front());
    left.erase(left.begin());
    Candidate plain = original;
    plain.configuration = reversion.configuration;
    plain.is_confirmed = false;
    const std::optional<double> loss = loss_of(context, plain, original, end_s);
    if (loss && *loss > 0) losses.emplace_back(reversion.name, *loss);
    if (!loss || *loss > 0) continue;
    winner = std::move(plain);
    // The other differences are tried next, now on top of this one.
    const auto is_open = [&](const NamedConfiguration& other) {
      return std::any_of(left.begin(), left.end(),
                         [&](const NamedConfiguration& known) { return known.name == other.name; });
    };
    std::vector<NamedConfiguration> now = context.space.reversions(winner.configuration, context.trials.n());
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
