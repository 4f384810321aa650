// SPDX-License-Identifier: MIT
// Decides which candidates stay: whether a child is surely better than its parent.
#pragma once

#include "autotuner/search/schedule.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/trials.h"

namespace pbtune {

class Selection {
 public:
  /// Keeps references to all of them.
  Selection(const SearchOptions& options, const Schedule& schedule, Population& population, Trials& trials)
      : options_(options), schedule_(schedule), population_(population), trials_(trials) {}

  /// Measures a child and, if it is promising, its parent beside it; true if the child may be a member. A child that is
  /// accurate enough beats a parent that is not; of two that are not, the more accurate one wins. The parent may get
  /// new times.
  ///
  /// Errors:  throws Interrupted, pbrt::RuntimeError
  [[nodiscard]] bool keeps(Candidate& child, Candidate& parent);

  /// Measures the members in turns, and ranks them by these times alone, if that takes a small part of the time left.
  /// See Note [Ranks on a machine that drifts] in candidate.cpp.
  void rank_anew();

 private:
  [[nodiscard]] bool beats(Candidate& child, Candidate& parent, double parent_ns);
  [[nodiscard]] bool beats_side_by_side(Candidate& child, Candidate& parent);
  [[nodiscard]] double child_limit_ms(const Candidate& parent, double parent_ns) const;
  [[nodiscard]] double time_now_ns(const Candidate& parent);

  const SearchOptions& options_;
  const Schedule& schedule_;
  Population& population_;
  Trials& trials_;
};

}  // namespace pbtune
