// SPDX-License-Identifier: MIT
#include "autotuner/trials/candidate.h"

namespace pbtune {

bool ranks_before(const Candidate& a, const Candidate& b) {
  if (a.meets_accuracy != b.meets_accuracy) return a.meets_accuracy;
  if (!a.meets_accuracy && a.accuracy != b.accuracy) return a.accuracy > b.accuracy;
  return rank_time_ns(a) < rank_time_ns(b);
}

double rank_time_ns(const Candidate& candidate) {
  return candidate.rank_ns > 0 ? candidate.rank_ns : median(candidate.times_ns);
}

void rank_beside(Candidate& child, Candidate& parent, const Sample& parent_times_ns) {
  parent.rank_ns = rank_time_ns(parent);
  child.rank_ns = parent.rank_ns * median(child.times_ns) / median(parent_times_ns);
}

double default_time_ns(const Candidate& standard) { return standard.times_ns.empty() ? 0 : median(standard.times_ns); }

void forget_times(Candidate& candidate) {
  candidate.times_ns.clear();
  candidate.rank_ns = 0;
}

}  // namespace pbtune

// Note [Ranks on a machine that drifts]
// A shared machine is twice as fast in one second as in the next. So the times of two members that were measured at
// different moments say little about which is better, and a good one would be dropped because its times come from a
// slow moment. A child and its parent, though, are measured in turns. So the child's rank is its parent's, times the
// ratio of the two: all ranks are times as they were when the members were last measured one right after the other.
// A child is kept because its times were good, so its ratio is a little too good, too. Over a line of many children
// that adds up: a line of harmless changes would outrank anything. So from time to time all members are measured in
// turns.
