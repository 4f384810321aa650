// SPDX-License-Identifier: MIT
// The options of a search: its sizes, its time, and how much of everything it tries.
#pragma once

#include <cstdint>
#include <vector>

namespace pbtune {

struct SearchOptions {
  std::vector<std::int64_t> sizes;  ///< growing; the last is the target
  double budget_s = 45;             ///< time for the whole search
  int max_population = 8;
  /// Children in a row without a gain after which a size ends; at the target twice as many, or 20 times if they are
  /// cheap.
  int max_failures = 60;
  int min_trials = 2;
  int max_trials = 6;
  int num_finalists = 4;
  int final_trials = 8;    ///< rounds in turns; up to eight times as many, or 100, if they do not decide
  double matters = 0.015;  ///< relative differences below this are no difference
  /// Whether each uniform choice is a starting point of its own at the target, too, and not only above the best of
  /// smaller sizes. False for programs that call themselves: one rule at all sizes may take forever.
  bool has_pure_starts = true;
  std::uint64_t seed = 1;
};

/// The confidence at which a relative difference counts as real, if the times were not taken in turns.
inline constexpr double kConfidence = 0.95;

/// Sizes that grow up to `target` by `factor`, from about max(64, target / 64) on; for a program that calls itself,
/// from a few on.
[[nodiscard]] std::vector<std::int64_t> growing_sizes(std::int64_t target, int factor, bool is_recursive = false);

}  // namespace pbtune
