// SPDX-License-Identifier: MIT
#include "autotuner/search/contest.h"

#include <algorithm>

#include "autotuner/search/in_turns.h"

namespace pbtune {
namespace {

// On a noisy machine there are many rounds, as long as there is time.
constexpr int kNoisyFactor = 8, kMostRounds = 100;
// There are still more for figures that people read, where they cost little of the time: runs of microseconds are all
// from one moment of the machine otherwise.
constexpr int kMostFigureRounds = 300;
constexpr double kFigureShare = 0.05;
// Of many rounds, not each is looked at: looks take time, and each look may err.
constexpr int kFewRounds = 48, kRoundsPerLook = 12;

bool is_looked_at(int num_rounds) {
  return num_rounds >= kLeastContestRounds && (num_rounds <= kFewRounds || num_rounds % kRoundsPerLook == 0);
}

/// The most rounds of a contest that began at `begin_s`, as far as is known by now.
int most_rounds(const FinalsContext& context, const ContestRules& rules, double begin_s) {
  const bool is_cheap = context.trials.elapsed_s() - begin_s < kFigureShare * context.options.budget_s;
  return rules.has_figures && is_cheap ? kMostFigureRounds
                                       : std::min(kMostRounds, kNoisyFactor * context.options.final_trials);
}

bool is_alive(const Candidate& candidate) { return !candidate.times_ns.empty() && candidate.meets_accuracy; }

ContestEnd end_of(const std::vector<Candidate>& contenders, double matters) {
  if (!is_alive(contenders[0])) return ContestEnd::Refuted;
  const Sample& first = contenders[0].times_ns;
  const auto is_beaten = [&](const Candidate& other) { return is_surely_faster(first, other.times_ns, matters); };
  const auto is_unbeaten = [&](const Candidate& other) { return is_surely_not_faster(first, other.times_ns, matters); };
  if (std::all_of(contenders.begin() + 1, contenders.end(), is_beaten)) return ContestEnd::Proven;
  if (std::any_of(contenders.begin() + 1, contenders.end(), is_unbeaten)) return ContestEnd::Refuted;
  return ContestEnd::OutOfTime;
}

/// Whether the ratio of the two, and their ratios for each of several cases, are known so well that people may read
/// them.
bool is_known(const Candidate& first, const Candidate& other) {
  bool out = is_figure_known(first.times_ns, other.times_ns);
  const std::size_t num_cases = std::min(first.case_times_ns.size(), other.case_times_ns.size());
  for (std::size_t k = 0; k < num_cases && out; ++k) {
    const Sample &a = first.case_times_ns[k], &b = other.case_times_ns[k];
    out = a.empty() || a.size() != b.size() || is_figure_known(a, b);
  }
  return out;
}

bool are_figures_known(const std::vector<Candidate>& contenders) {
  return std::all_of(contenders.begin() + 1, contenders.end(),
                     [&](const Candidate& other) { return is_known(contenders[0], other); });
}

}  // namespace

ContestEnd hold_contest(const FinalsContext& context, std::vector<Candidate>& contenders, const ContestRules& rules) {
  const double begin_s = context.trials.elapsed_s();
  int num_rounds = 0;
  for (; num_rounds < most_rounds(context, rules, begin_s); ++num_rounds) {
    context.on_phase(rules.phase);
    const double now_s = context.trials.elapsed_s();
    const double round_s = (now_s - begin_s) / std::max(1, num_rounds);
    if (num_rounds >= 1 && now_s + round_s > rules.end_s + context.schedule.overtime_s()) break;
    if (num_rounds >= kLeastContestRounds && now_s > rules.end_s) break;
    // These runs have no limit, because a hiccup must not decide who takes part.
    in_turns(contenders, num_rounds, [&](Candidate& candidate) {
      if (!context.trials.measure(candidate, 1, 0, true)) candidate.times_ns.clear();
    });
    for (Candidate& candidate : contenders)
      if (!candidate.times_ns.empty()) context.trials.confirm(candidate);
    std::erase_if(contenders,
                  [&](const Candidate& candidate) { return &candidate != contenders.data() && !is_alive(candidate); });
    if (!is_alive(contenders[0])) return ContestEnd::Refuted;
    if (!is_looked_at(num_rounds + 1)) continue;
    const ContestEnd end = end_of(contenders, rules.matters);
    const bool is_over =
        end == ContestEnd::Refuted || (end == ContestEnd::Proven && !rules.has_figures) || contenders.size() == 1;
    if (is_over || (end == ContestEnd::Proven && are_figures_known(contenders))) return end;
  }
  return num_rounds < kLeastContestRounds ? ContestEnd::OutOfTime : end_of(contenders, rules.matters);
}

bool is_probably_faster(const Sample& a, const Sample& b) {
  constexpr double kMuch = 1.1;
  constexpr double kBeyondDoubt = 1.5;  // a factor that two rounds show
  if (a.size() != b.size() || a.size() < 2) return false;
  double least_ratio = b[0] / a[0];
  for (std::size_t i = 1; i < a.size(); ++i) least_ratio = std::min(least_ratio, b[i] / a[i]);
  if (std::ssize(a) < kLeastContestRounds) return least_ratio >= kBeyondDoubt;
  return least_ratio > 1 && paired_ratio(b, a, kConfidence).ratio >= kMuch;
}

}  // namespace pbtune
