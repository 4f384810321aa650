// SPDX-License-Identifier: MIT
// How a search divides its time: over the sizes, and between looking for candidates and the final comparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "autotuner/search/search_options.h"

namespace pbtune {

/// Rounds in turns that are measured however little time is left.
inline constexpr int kLeastContestRounds = 3;

/// The durations of one run at the current size, in seconds. The default's is 0 if it is not known.
struct RunCosts {
  double best_s = 0, default_s = 0;
  double overhead_s = 0;  ///< beside the trials
};

class Schedule {
 public:
  /// Keeps a reference to `options`. `has_pages`: the final comparison also tries other pages of memory.
  Schedule(const SearchOptions& options, bool has_pages) : options_(options), num_final_parts_(has_pages ? 4 : 3) {}

  /// Whether a size fits into the time after size `n` where a run of the best took `best_s` (0: no size was measured
  /// yet). Predicts the reference, the default and a few trials from the growth seen so far.
  [[nodiscard]] bool will_fit(std::size_t size_index, std::int64_t n, double best_s, double elapsed_s) const;
  /// Whether a size fits whose inputs took `prepare_s` and whose best run took `best_s` before.
  [[nodiscard]] bool will_fit_again(double prepare_s, double best_s, double elapsed_s) const;
  /// Gives a size its share of the time that is left.
  void begin_size(std::size_t size_index, double elapsed_s);
  /// Notes how the time of the best grew from one size to the next.
  ///
  /// Pre:     sizes grow; times are positive
  void note_growth(std::int64_t from_n, double from_ns, std::int64_t to_n, double to_ns);

  /// Whether a size matters only for recursion: times there say little about the target.
  [[nodiscard]] bool is_small(std::size_t size_index) const;
  [[nodiscard]] bool is_last() const { return size_index_ + 1 == options_.sizes.size(); }
  [[nodiscard]] std::size_t size_index() const { return size_index_; }
  /// Ends the current size earlier, at `end_s`.
  void end_size_at(double end_s) { deadline_s_ = std::min(deadline_s_, end_s); }
  /// The time at which the current size must be left.
  [[nodiscard]] double deadline_s() const { return deadline_s_; }
  /// The seconds left at the size.
  [[nodiscard]] double left_s(double elapsed_s) const { return std::max(0.0, deadline_s_ - elapsed_s); }
  /// Whether a run that takes so long leaves time for few others at the size.
  [[nodiscard]] bool is_long(double run_s, double elapsed_s) const;
  /// The time at which the search for candidates ends at the current size.
  [[nodiscard]] double end_s(const RunCosts& costs) const;
  /// Whether to stop after `failures` children in a row without a gain. At the target size more of them are tried if
  /// they cost little of the time from `begin_s` to `end_s`.
  [[nodiscard]] bool is_exhausted(int failures, double elapsed_s, double begin_s, double end_s) const;
  /// The limit in milliseconds for runs for which no other time says when they hang.
  [[nodiscard]] double generous_limit_ms(double elapsed_s) const;

  /// The number of parts of the final comparison: comparing the best, taking back differences, then trying other pages
  /// if there is a choice, then comparing with what the winner would replace. The last one has a reserve of its own,
  /// because the whole search is in vain if it stays undecided.
  [[nodiscard]] int num_final_parts() const { return num_final_parts_; }
  /// The time by which the final comparison must have at most `num_left` parts to go.
  [[nodiscard]] double end_before_parts(int num_left, const RunCosts& costs) const;
  /// The time at which the last part ends.
  [[nodiscard]] double last_word_s() const { return options_.budget_s; }
  /// By how much a comparison may take longer than its time where runs are so long that it would be in vain otherwise.
  [[nodiscard]] double overtime_s() const { return 0.18 * options_.budget_s; }

 private:
  [[nodiscard]] double share_of(std::size_t size_index) const;
  /// What the last part of the final comparison may take, and all parts before it together.
  [[nodiscard]] double last_word_reserve_s(const RunCosts& costs) const;
  [[nodiscard]] double earlier_reserve_s(const RunCosts& costs) const;

  const SearchOptions& options_;
  int num_final_parts_;
  std::size_t size_index_ = 0;
  double deadline_s_ = 0;
  double growth_ = 0;  ///< log2 of the factor by which a doubling of the size lengthens runs; 0: not known
};

}  // namespace pbtune
