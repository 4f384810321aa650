// SPDX-License-Identifier: MIT
// A configuration that the search considers, with the results of its runs.
#pragma once

#include <string>
#include <vector>

#include "autotuner/space/search_space.h"
#include "autotuner/trials/statistics.h"

namespace pbtune {

struct Candidate {
  Configuration configuration;
  std::string origin;  ///< `all opencl`, `change Conv.split_size`, …
  int id = 0;          ///< in order of appearance
  int parent = -1;
  Sample times_ns;                      ///< at the current size
  std::vector<Sample> case_times_ns{};  ///< as in Outcome: as many of each as of times_ns, if there are any
  double rank_ns = 0;  ///< the time that counts for its rank, if that is not the median; see the note in candidate.cpp
  bool meets_accuracy = true;  ///< in all trials
  bool is_confirmed = false;   ///< runs at this size tested whether it is accurate on other inputs, too
  bool is_refuted = false;     ///< these runs showed that it is not
  double accuracy = 0;         ///< of the worst trial; more is better, so a metric where less is better is negated
  std::vector<RanChoice> ran;
  bool has_large_matrices = false;  ///< in some run, one was large enough for large pages
};

/// Whether `a` is ranked before `b`. Candidates that are accurate enough come first, by time; then the others, by
/// accuracy.
[[nodiscard]] bool ranks_before(const Candidate& a, const Candidate& b);

/// The time that counts for a candidate's rank. Pre: it has times
[[nodiscard]] double rank_time_ns(const Candidate& candidate);

/// Ranks `child` by how its times compare with `parent_times_ns`, which were taken in turns with them.
void rank_beside(Candidate& child, Candidate& parent, const Sample& parent_times_ns);

/// The median time of the default; 0: it is not known.
[[nodiscard]] double default_time_ns(const Candidate& standard);

/// Drops the times and the rank: those that follow are taken in turns with others.
void forget_times(Candidate& candidate);

}  // namespace pbtune
