// SPDX-License-Identifier: MIT
#include "autotuner/search/finals.h"

#include <algorithm>

#include "autotuner/search/in_turns.h"
#include "autotuner/search/take_back.h"

namespace pbtune {
namespace {

constexpr int kContestFactor = 3;  // an undecided contest takes at most this many times the rounds of the effort
constexpr double kMuchSlower = 3;  // a factor that even a few times show beyond doubt
// The least gain that counts, since measurements leave out the cost of new memory.
constexpr double kPagesMatter = 0.05;
constexpr double kMostUnproven = 0.04;  // a configuration that seems slower by less than this may count as equal
constexpr double kMostPossible = 0.07;  // if, besides, the times rule out that it is slower by more than this

}  // namespace

/// The best few of the population for whose rounds there is time, or all of it if that is little.
std::vector<Candidate> Finals::finalists() const {
  const double end_s = context_.end_before_parts(context_.schedule.num_final_parts() - 1);
  const double left_s = std::max(0.0, end_s - context_.trials.elapsed_s());
  const auto num_affordable =
      static_cast<std::ptrdiff_t>(left_s / (context_.options.min_trials * std::max(1e-9, context_.run_s())));
  const std::vector<Candidate>& members = context_.population.members();
  const double all_s = context_.run_s() * static_cast<double>(members.size()) * context_.options.final_trials;
  const bool is_cheap = all_s < left_s;
  const std::ptrdiff_t wanted =
      is_cheap ? std::ssize(members)
               : std::min<std::ptrdiff_t>(context_.options.num_finalists, std::max<std::ptrdiff_t>(1, num_affordable));
  std::vector<Candidate> out(members.begin(), members.begin() + std::min(wanted, std::ssize(members)));
  // Plainer configurations take part, too, and win among equals, so that nothing differs from the default without a
  // reason.
  const Candidate& best = context_.population.best();
  for (NamedConfiguration& plain : context_.space.plainer({best.origin, best.configuration}, best.ran)) {
    const auto is_same = [&](const Candidate& other) { return other.configuration == plain.configuration; };
    if (num_affordable <= wanted || !best.meets_accuracy || std::any_of(out.begin(), out.end(), is_same)) continue;
    Candidate candidate;
    candidate.configuration = std::move(plain.configuration);
    candidate.origin = plain.name;
    out.push_back(std::move(candidate));
  }
  std::for_each(out.begin(), out.end(), forget_times);
  return out;
}

/// The configurations that the winner would replace: the default, unless it is known to be hopelessly slow here or
/// takes too long until `end_s`, and the one that the file had before.
std::vector<Candidate> Finals::incumbents(double end_s) const {
  std::vector<Candidate> out;
  const double left_s = end_s - context_.trials.elapsed_s();
  const double best_ns = context_.population.best_ns();
  const double default_ns = context_.default_ns();
  const bool is_affordable = kLeastContestRounds * context_.trials.work_s(default_ns + best_ns) < left_s;
  if (default_ns > 0 && (is_affordable || default_ns < kMuchSlower * best_ns)) out.push_back(context_.standard);
  for (const NamedConfiguration& before : context_.before) {
    if (!before.is_incumbent || before.configuration == context_.space.default_configuration()) continue;
    out.emplace_back();
    out.back().configuration = before.configuration;
    out.back().origin = before.name;
  }
  std::for_each(out.begin(), out.end(), forget_times);
  return out;
}

/// Compares the finalists; one that is surely slower than the leader leaves. The configuration is empty if none of them
/// runs any more.
Candidate Finals::best_finalist() {
  std::vector<Candidate> left = finalists();
  const double limit = 4 * limit_ms(context_.population.best_ns(), 2.0);
  const double end_s = context_.end_before_parts(context_.schedule.num_final_parts() - 1);
  for (int trial = 0; trial < kContestFactor * context_.options.final_trials && (left.size() > 1 || trial == 0);
       ++trial) {
    context_.on_phase("comparing the best");
    if (trial >= 1 && context_.trials.elapsed_s() > end_s) break;
    in_turns(left, trial, [&](Candidate& candidate) {
      if (!context_.trials.measure(candidate, 1, limit, true)) candidate.times_ns.clear();
    });
    std::erase_if(left, [](const Candidate& candidate) { return candidate.times_ns.empty(); });
    if (left.empty()) return {};
    for (Candidate& candidate : left) context_.trials.confirm(candidate);
    std::stable_sort(left.begin(), left.end(), ranks_before);
    if (trial + 1 < context_.options.min_trials || !left[0].meets_accuracy) continue;
    const Sample leader = left[0].times_ns;
    std::erase_if(left, [&](const Candidate& candidate) {
      return !candidate.meets_accuracy || is_surely_faster(leader, candidate.times_ns, 0);
    });
  }
  if (std::ssize(left[0].times_ns) < context_.options.final_trials) return left[0];
  // Among equals the one closest to the default wins, because a difference that cannot be measured should not be
  // claimed.
  const Configuration standard = context_.space.default_configuration();
  const Candidate* best = left.data();
  for (const Candidate& candidate : left) {
    if (!candidate.meets_accuracy || !left[0].meets_accuracy) continue;
    const PairedRatio slower = paired_ratio(candidate.times_ns, left[0].times_ns, kConfidence);
    const bool is_equal = slower.ratio <= 1 + context_.options.matters ||
                          (slower.ratio <= 1 + kMostUnproven && slower.lo <= 1 && slower.hi <= 1 + kMostPossible);
    if (is_equal && num_differences(candidate.configuration, standard) < num_differences(best->configuration, standard))
      best = &candidate;
  }
  return *best;
}

void Finals::settle_pages(Candidate& winner) {
  if (!context_.space.large_pages() || !winner.meets_accuracy) return;
  const auto id = static_cast<std::size_t>(*context_.space.large_pages());
  // Where no matrix is large enough, all values mean the same.
  if (!winner.has_large_matrices) {
    winner.configuration.tunables[id] = context_.space.default_configuration().tunables[id];
    return;
  }
  Candidate other = winner;
  double& value = other.configuration.tunables[id][0];
  value = value > 0 ? 0 : 1;
  other.origin += value > 0 ? ", on large pages" : ", on small pages";
  std::vector<Candidate> both{std::move(other), winner};
  std::for_each(both.begin(), both.end(), forget_times);
  const double end_s = context_.end_before_parts(1);
  const double least_s = 2 * kLeastContestRounds * context_.run_s();
  if (context_.trials.elapsed_s() + least_s > end_s) return;
  const ContestEnd end = hold_contest(context_, both, {"trying other pages of memory", end_s, kPagesMatter});
  if (end == ContestEnd::Proven && both.size() == 2) winner = both[0];
}

/// Gives the program other inputs in other memory, if there is time: those at hand had a part in the selection.
void Finals::renew_inputs(double end_s) {
  constexpr double kMostShare = 0.25;  // of the time left
  const double left_s = end_s - context_.trials.elapsed_s();
  if (context_.trials.prepare_s() > kMostShare * left_s) return;
  context_.on_phase("making other inputs");
  // If this does not work, the inputs at hand are as good.
  (void)context_.trials.renew(context_.references.stand_in().value_or(context_.space.default_configuration()));
}

/// The one of the incumbents that stays: the default, or what the file had before where that is as good. Null if none
/// of them runs.
const Candidate* Finals::best_incumbent(const std::vector<Candidate>& contenders) const {
  const Candidate* standard = nullptr;
  const Candidate* before = nullptr;
  for (std::size_t i = 1; i < contenders.size(); ++i) (is_default(contenders[i]) ? standard : before) = &contenders[i];
  const bool is_standard_better = before != nullptr && standard != nullptr &&
                                  is_surely_faster(standard->times_ns, before->times_ns, context_.options.matters);
  if (before != nullptr && !is_standard_better) return before;
  if (standard != nullptr) return standard;
  return context_.standard.times_ns.empty() ? nullptr : &context_.standard;
}

void Finals::take(const Candidate& kept, const Candidate& standard) {
  result_ = make_result(kept, context_.trials.n(), standard);
  result_.verification = context_.references.verification();
  for (const NamedConfiguration& before : context_.before)
    if (before.is_incumbent && result_.best == before.configuration) result_.kept = Kept::Before;
  if (is_default(kept)) {
    result_.kept = Kept::Default;
    result_.is_confirmed = true;  // it claims nothing
  }
}

void Finals::replace_incumbents(Candidate winner, const ContestRules& rules) {
  std::vector<Candidate> contenders = incumbents(rules.end_s);
  std::erase_if(contenders, [&](const Candidate& other) { return other.configuration == winner.configuration; });
  if (contenders.empty() || !winner.meets_accuracy) return;
  forget_times(winner);
  contenders.insert(contenders.begin(), std::move(winner));
  const ContestEnd end = hold_contest(context_, contenders, rules);
  const Sample& first = contenders[0].times_ns;
  const Candidate* standard = nullptr;
  for (const Candidate& other : contenders)
    if (is_default(other) && !other.times_ns.empty()) standard = &other;
  const Candidate& beside = standard != nullptr ? *standard : context_.standard;
  const bool is_probable = end == ContestEnd::OutOfTime && std::ssize(first) < kEnoughRounds &&
                           std::all_of(contenders.begin() + 1, contenders.end(), [&](const Candidate& other) {
                             return is_probably_faster(first, other.times_ns);
                           });
  if (end == ContestEnd::Proven || is_probable) {
    take(contenders[0], beside);
    result_.is_confirmed = end == ContestEnd::Proven && standard != nullptr;
  } else if (const Candidate* kept = best_incumbent(contenders)) {
    take(*kept, beside);
    result_.is_confirmed = standard != nullptr || result_.kept == Kept::Default;
  }  // else the result stays
}

void Finals::decide() {
  Candidate winner = best_finalist();
  if (winner.times_ns.empty()) return;
  context_.space.forget_unused(winner.configuration);
  for (Selector& selector : winner.configuration.sites) simplify(selector);
  const Losses losses = take_back(context_, winner);
  settle_pages(winner);
  const Configuration found = winner.configuration;
  take(winner, is_default(winner) ? winner : context_.standard);
  result_.losses = losses;
  const double end_s = context_.schedule.last_word_s();
  if (!is_default(winner)) renew_inputs(end_s);
  replace_incumbents(std::move(winner),
                     {"comparing the best with what is there", end_s, context_.options.matters, true});
  if (result_.best == found) result_.losses = losses;
}

void Finals::confirm(double end_s) {
  Candidate best;
  best.configuration = result_.best;
  best.origin = result_.origin;
  best.meets_accuracy = result_.meets_accuracy;
  if (is_default(best) || !best.meets_accuracy) return;
  const Losses losses = result_.losses;
  const Configuration found = result_.best;
  replace_incumbents(std::move(best),
                     {"comparing the best so far with what is there", end_s, context_.options.matters});
  if (result_.best == found) result_.losses = losses;
}

}  // namespace pbtune

// Note [The last word]
// A search looks at hundreds of configurations and keeps what was measured fastest: among so many, luck wins too. So
// what it found is measured again, on times that had no part in its selection: in turns with the default and with what
// the file had before, in one process, until Wilcoxon's signed-rank test on the pairs says that it is faster (one error
// in 200 looks, by more than `matters`), or cannot be. If it is not proven faster, what was there stays. Inputs that
// had a part in the selection favour what was selected, and so does the place of the matrices in memory. So there are
// other inputs in other memory for these times, wherever there is time to make them. They are the same for all
// contenders. Where runs are so long that few rounds fit into the time, a configuration that was much faster in each of
// them is kept, too, but its gain counts as unconfirmed.
