// SPDX-License-Identifier: MIT
#include "autotuner/search/selection.h"

#include <algorithm>

namespace pbtune {
namespace {

constexpr double kSlowestChild = 1.8;
constexpr double kClearly = 1.1;  // factor between medians that decides if hiccups leave the test undecided

}  // namespace

bool Selection::keeps(Candidate& child, Candidate& parent) {
  const double parent_ns = time_now_ns(parent);
  if (!trials_.measure(child, 1, child_limit_ms(parent, parent_ns))) return false;
  if (!beats(child, parent, parent_ns)) return false;
  const bool was_accurate = child.meets_accuracy;
  trials_.confirm(child);
  return child.meets_accuracy == was_accurate || (!parent.meets_accuracy && child.accuracy > parent.accuracy);
}

/// What a child is first compared with: the parent's median, or what it takes now, if that is more. The times that are
/// known may come from a faster moment of the machine, in which nothing that is tried now would seem worth a look.
double Selection::time_now_ns(const Candidate& parent) {
  constexpr double kCheapNs = 3e7;  // longer runs are too dear, and see less of such moments
  const double known_ns = median(parent.times_ns);
  if (!parent.meets_accuracy || known_ns > kCheapNs) return known_ns;
  Candidate now = parent;
  forget_times(now);
  return trials_.measure(now, 1, limit_ms(known_ns, kSlowestSeed), true) ? std::max(known_ns, now.times_ns[0])
                                                                         : known_ns;
}

bool Selection::beats(Candidate& child, Candidate& parent, double parent_ns) {
  if (!child.meets_accuracy || !parent.meets_accuracy) {
    if (child.meets_accuracy != parent.meets_accuracy) return child.meets_accuracy;
    return child.accuracy > parent.accuracy;
  }
  if (minimum(child.times_ns) > parent_ns) return false;
  return beats_side_by_side(child, parent);
}

/// Alternates fresh trials of both until they are told apart, are surely the same, or the trials are used up.
/// Earlier times do not count: the machine may have been in another mood for the parent's, and the child is
/// here because its first one was good.
bool Selection::beats_side_by_side(Candidate& child, Candidate& parent) {
  Candidate fresh = parent;
  fresh.times_ns.clear();
  child.times_ns.clear();
  const double limit = limit_ms(median(parent.times_ns), 2 * kSlowestChild);
  for (int trial = 0; trial < options_.max_trials; ++trial) {
    if (!trials_.measure(fresh, 1, limit, true)) return false;
    if (!trials_.measure(child, 1, limit, true) || !child.meets_accuracy) return false;
    parent.meets_accuracy = parent.meets_accuracy && fresh.meets_accuracy;
    if (!parent.meets_accuracy) return true;
    if (trial + 1 < options_.min_trials) continue;
    const Verdict verdict = compare(child.times_ns, fresh.times_ns, options_.matters, kConfidence);
    const bool is_decided = verdict != Verdict::Undecided;
    const bool is_late = trials_.elapsed_s() > schedule_.deadline_s();
    if (is_decided || is_late || trial + 1 == options_.max_trials) {
      rank_beside(child, parent, fresh.times_ns);
      parent.times_ns = fresh.times_ns;
      // A single hiccup of the machine can leave the test undecided, but hardly changes the medians. So the medians
      // decide here. The final comparison has the last word.
      const bool is_clear = verdict == Verdict::Undecided && median(child.times_ns) * kClearly < median(fresh.times_ns);
      return verdict == Verdict::Faster || is_clear;
    }
  }
  return false;
}

/// The time limit for a child of `parent`. If the parent misses the target of accuracy, its time says nothing about its
/// child's, so the limit follows the best member's time.
double Selection::child_limit_ms(const Candidate& parent, double parent_ns) const {
  if (parent.meets_accuracy) return limit_ms(parent_ns, kSlowestChild);
  if (population_.has_accurate()) return limit_ms(population_.best_ns(), kSlowestSeed);
  return schedule_.generous_limit_ms(trials_.elapsed_s());
}

void Selection::rank_anew() {
  constexpr double kMostShare = 0.05;
  constexpr int kNumTrials = 3;
  const auto num_members = static_cast<double>(population_.members().size());
  const double run_s = trials_.work_s(population_.best_ns()) + trials_.overhead_s();
  const double left_s = schedule_.left_s(trials_.elapsed_s());
  if (!population_.has_accurate() || num_members * kNumTrials * run_s > kMostShare * left_s) return;
  std::vector<Candidate> fresh = population_.members();
  std::for_each(fresh.begin(), fresh.end(), forget_times);
  for (int trial = 0; trial < kNumTrials; ++trial)
    for (std::size_t i = 0; i < fresh.size(); ++i)
      (void)trials_.measure(fresh[i], 1, limit_ms(median(population_.members()[i].times_ns), kSlowestSeed), true);
  // A member that did not end in time this time keeps what is known of it.
  for (std::size_t i = 0; i < fresh.size(); ++i)
    if (!fresh[i].times_ns.empty()) population_.member(i) = std::move(fresh[i]);
  population_.sort();
}

}  // namespace pbtune
