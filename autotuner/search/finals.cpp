// SPDX-License-Identifier: MIT
#include "autotuner/search/finals.h"

#include <algorithm>

#include "autotuner/search/in_turns.h"
#include "autotuner/search/take_back.h"

namespace pbtune {
namespace {

constexpr int kContestFactor = 3;       // an undecided contest takes at most this many times the rounds of the effort
constexpr int kLeastContestRounds = 3;  // rounds that are measured however little time is left
constexpr double kMuchSlower = 3;       // a factor that even a few times show beyond doubt
// The least gain that counts, since measurements leave out the cost of new memory.
constexpr double kPagesMatter = 0.05;
constexpr double kMostUnproven = 0.04;  // a configuration that seems slower by less than this may count as equal
constexpr double kMostPossible = 0.07;  // if, besides, the times rule out that it is slower by more than this

}  // namespace

/// The best few of the population, or all of it if all their rounds take little time.
std::vector<Candidate> Finals::finalists() const {
  const double left_ns = std::max(0.0, context_.options.budget_s - context_.trials.elapsed_s()) * 1e9;
  const double round_ns = std::max(1.0, context_.population.best_ns() + context_.default_ns());
  const auto num_affordable = static_cast<std::ptrdiff_t>(left_ns / (context_.options.min_trials * round_ns));
  const std::vector<Candidate>& members = context_.population.members();
  const double run_s = context_.population.best_ns() * 1e-9 + context_.trials.overhead_s();
  const double all_s = run_s * static_cast<double>(members.size()) * context_.options.final_trials;
  const bool is_cheap =
      all_s < context_.end_before_parts(context_.schedule.num_final_parts() - 1) - context_.trials.elapsed_s();
  const std::ptrdiff_t wanted =
      is_cheap ? std::ssize(members)
               : std::min<std::ptrdiff_t>(context_.options.num_finalists, std::max<std::ptrdiff_t>(2, num_affordable));
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

/// The configurations that the winner would replace: the default, unless it is known to be hopelessly slow here, and
/// the one that the file had before.
std::vector<Candidate> Finals::incumbents() const {
  std::vector<Candidate> out;
  const double left_s = context_.options.budget_s - context_.trials.elapsed_s();
  const double best_ns = context_.population.best_ns();
  const double default_ns = context_.default_ns();
  const bool is_affordable = kLeastContestRounds * (default_ns + best_ns) * 1e-9 < left_s;
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
    if (trial >= context_.options.min_trials && context_.trials.elapsed_s() > end_s) break;
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

/// Measures all in turns until the first is surely faster than each of the others, or surely not faster than one of
/// them, or the rounds or the time are used up. Others that fail, or turn out to be inaccurate, leave.
void Finals::contest(std::vector<Candidate>& contenders, const Contest& how) {
  // On a noisy machine there are many rounds, as long as there is time.
  constexpr int kNoisyFactor = 8, kMostRounds = 100;
  for (int round = 0; round < std::min(kMostRounds, kNoisyFactor * context_.options.final_trials); ++round) {
    context_.on_phase(how.phase);
    if (round >= kLeastContestRounds && context_.trials.elapsed_s() > how.end_s) return;
    // These runs have no limit, because a hiccup must not decide who takes part.
    in_turns(contenders, round, [&](Candidate& candidate) {
      if (!context_.trials.measure(candidate, 1, 0, true)) candidate.times_ns.clear();
    });
    for (Candidate& candidate : contenders)
      if (!candidate.times_ns.empty()) context_.trials.confirm(candidate);
    std::erase_if(contenders, [&](const Candidate& candidate) {
      return &candidate != contenders.data() && (candidate.times_ns.empty() || !candidate.meets_accuracy);
    });
    if (contenders[0].times_ns.empty() || !contenders[0].meets_accuracy) return;
    if (round + 1 < kLeastContestRounds) continue;
    const Sample& first = contenders[0].times_ns;
    const auto is_beaten = [&](const Candidate& other) { return is_surely_faster(first, other.times_ns, how.matters); };
    const auto is_unbeaten = [&](const Candidate& other) {
      return is_surely_not_faster(first, other.times_ns, how.matters);
    };
    if (std::all_of(contenders.begin() + 1, contenders.end(), is_beaten)) return;
    if (std::any_of(contenders.begin() + 1, contenders.end(), is_unbeaten)) return;
  }
}

void Finals::try_other_pages(Candidate& winner) {
  if (!context_.space.large_pages() || !winner.meets_accuracy) return;
  Candidate other = winner;
  double& value = other.configuration.tunables[static_cast<std::size_t>(*context_.space.large_pages())][0];
  value = value > 0 ? 0 : 1;
  other.origin += value > 0 ? ", on large pages" : ", on small pages";
  std::vector<Candidate> both{std::move(other), winner};
  std::for_each(both.begin(), both.end(), forget_times);
  const double end_s = context_.end_before_parts(2);
  if (context_.trials.elapsed_s() > end_s) return;
  contest(both, {"trying other pages of memory", end_s, kPagesMatter});
  const bool have_both_run = both.size() == 2 && !both[0].times_ns.empty() && both[0].meets_accuracy;
  if (have_both_run && is_surely_faster(both[0].times_ns, both[1].times_ns, kPagesMatter)) winner = both[0];
}

/// The configuration that stays after a contest: the first if it is surely faster than all others; else the default, or
/// what the file had before where that is as good. Null if none of them runs.
const Candidate* Finals::verdict(const std::vector<Candidate>& contenders) const {
  const Candidate& first = contenders[0];
  const Candidate* standard = nullptr;
  const Candidate* before = nullptr;
  for (const Candidate& other : contenders)
    if (&other != &first) (other.configuration == context_.space.default_configuration() ? standard : before) = &other;
  const auto is_faster = [&](const Candidate& a, const Candidate& b) {
    return is_surely_faster(a.times_ns, b.times_ns, context_.options.matters);
  };
  const bool is_alive = !first.times_ns.empty() && first.meets_accuracy;
  const auto beats_all = [&] {
    return (standard == nullptr || is_faster(first, *standard)) && (before == nullptr || is_faster(first, *before));
  };
  if (is_alive && beats_all()) return &first;
  if (before != nullptr && (standard == nullptr || !is_faster(*standard, *before))) return before;
  if (standard != nullptr) return standard;
  return context_.standard.times_ns.empty() ? nullptr : &context_.standard;
}

void Finals::take(const Candidate& kept, double default_ns) {
  result_ = make_result(kept, context_.trials.n(), median(kept.times_ns), default_ns);
  for (const NamedConfiguration& before : context_.before)
    if (before.is_incumbent && result_.best == before.configuration) result_.kept = Kept::Before;
  if (result_.best == context_.space.default_configuration()) result_.kept = Kept::Default;
}

void Finals::decide() {
  Candidate winner = best_finalist();
  if (winner.times_ns.empty()) return;
  context_.space.forget_unused(winner.configuration);
  for (Selector& selector : winner.configuration.sites) simplify(selector);
  const Losses losses = take_back(context_, winner);
  try_other_pages(winner);
  const bool is_default = winner.configuration == context_.space.default_configuration();
  take(winner, is_default ? median(winner.times_ns) : context_.default_ns());
  std::vector<Candidate> contenders = incumbents();
  std::erase_if(contenders, [&](const Candidate& other) { return other.configuration == winner.configuration; });
  result_.losses = losses;
  if (contenders.empty() || !winner.meets_accuracy) return;
  contenders.insert(contenders.begin(), winner);
  contenders[0].times_ns.clear();
  contest(contenders, {"comparing the best with what is there", context_.options.budget_s, context_.options.matters});
  double default_ns = context_.default_ns();
  for (std::size_t i = 1; i < contenders.size(); ++i)
    if (contenders[i].configuration == context_.space.default_configuration())
      default_ns = median(contenders[i].times_ns);
  if (const Candidate* kept = verdict(contenders)) take(*kept, default_ns);  // else the result stays
  if (result_.best == winner.configuration) result_.losses = losses;
}

}  // namespace pbtune

// Note [The last word]
// A search looks at hundreds of configurations and keeps what was measured fastest: among so many, luck wins too. So
// what it found is measured again, on times that had no part in its selection: in turns with the default and with what
// the file had before, in one process, until Wilcoxon's signed-rank test on the pairs says that it is faster (one error
// in 200 looks, by more than `matters`), or cannot be. If it is not proven faster, what was there stays.
