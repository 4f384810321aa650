// SPDX-License-Identifier: MIT
// One change at a time: which other choices of single sites are worth a try beside the best configuration at a size,
// the promising ones first.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "autotuner/space/search_space.h"
#include "autotuner/trials/candidate.h"

namespace pbtune {

/// Whether a choice deserves a run that took `factor` times as long as the best at the last size where it was tried, if
/// the best takes `best_s` now and `left_s` are left. The factor is infinite if it did not end, and 1 if it is unknown.
[[nodiscard]] bool is_worth_a_run(double factor, double best_s, double left_s);

class SiteSweep {
 public:
  /// Keeps a reference.
  explicit SiteSweep(const Space& space) : space_(space) {}

  /// The choices that a configuration which ran `ran` does not make at size `n`: those of the transform that is
  /// measured come first, then those that did better so far.
  [[nodiscard]] std::vector<RanChoice> others(const Configuration& configuration, const std::vector<RanChoice>& ran,
                                              std::int64_t n) const;
  /// Those of the transform that is measured that were nearly as good, or better, where they were tried last.
  [[nodiscard]] std::vector<RanChoice> promising(const Configuration& configuration, std::int64_t n) const;
  /// The configuration with this choice from size `from` on.
  [[nodiscard]] Configuration with(Configuration configuration, const RanChoice& choice, std::int64_t from) const;

  /// How many times as long a choice took as what it was compared with, at the last size where it was tried; 1:
  /// unknown.
  [[nodiscard]] double factor(const RanChoice& choice) const;
  void note(const RanChoice& choice, double factor) { factors_[{choice.site, choice.alternative}] = factor; }

 private:
  const Space& space_;
  std::map<std::pair<int, int>, double> factors_;  ///< by site and alternative
};

}  // namespace pbtune
