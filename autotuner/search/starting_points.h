// SPDX-License-Identifier: MIT
// What a search measures first at each size: the default, the best of the size before, and configurations that make one
// choice everywhere, or from a size on. How such a choice did at the sizes before decides when it is tried.
#pragma once

#include <cstdint>
#include <vector>

#include "autotuner/space/search_space.h"
#include "autotuner/trials/candidate.h"

namespace pbtune {

struct StartingPoint {
  Candidate candidate;  ///< without an id, unless it was a member before
  int seed = -1;        ///< the one of Space::seeds that it makes use of, if any
};

/// Where the search stands when starting points are made.
struct SizeStep {
  std::int64_t previous_n = -1;
  std::int64_t n = 0;
  bool is_last = true;
  bool has_pure = true;  ///< whether choices without the best of smaller sizes below them take part as well
};

/// The size between two others from which a starting point of the larger one makes its choice.
[[nodiscard]] std::int64_t size_between(std::int64_t smaller_n, std::int64_t n);

class StartingPoints {
 public:
  /// `known` are configurations from before the search. Keeps references.
  StartingPoints(const Space& space, const std::vector<NamedConfiguration>& known);

  /// What to measure at a size, in this order. `members` are those of the size before, best first; none at the first.
  [[nodiscard]] std::vector<StartingPoint> at(const SizeStep& step, std::vector<Candidate> members) const;
  /// The default, then these configurations, as starting points without times.
  [[nodiscard]] std::vector<StartingPoint> first_of(const std::vector<Candidate>& candidates) const;
  /// How many times as long as the best its choice took at the last size where it was tried; 1: unknown.
  [[nodiscard]] double factor(const StartingPoint& start) const;
  void note(const StartingPoint& start, double factor);

 private:
  [[nodiscard]] std::vector<int> by_factor() const;

  const Space& space_;
  const std::vector<NamedConfiguration>& known_;
  std::vector<NamedConfiguration> seeds_;
  std::vector<double> factors_;  ///< of each seed, at the last size where it was tried; 1: it was not tried yet
};

}  // namespace pbtune
