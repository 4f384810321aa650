// SPDX-License-Identifier: MIT
#include "autotuner/search/candidate.h"

namespace pbtune {

bool ranks_before(const Candidate& a, const Candidate& b) {
  if (a.meets_accuracy != b.meets_accuracy) return a.meets_accuracy;
  if (!a.meets_accuracy && a.accuracy != b.accuracy) return a.accuracy > b.accuracy;
  return median(a.times_ns) < median(b.times_ns);
}

double default_time_ns(const Candidate& standard) { return standard.times_ns.empty() ? 0 : median(standard.times_ns); }

void forget_times(Candidate& candidate) { candidate.times_ns.clear(); }

}  // namespace pbtune
