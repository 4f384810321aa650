// SPDX-License-Identifier: MIT
// Runs candidates at one size after the other, and keeps what the runs say: times and accuracy in the candidate, which
// choices crash or hang, and what a run costs beside its trials.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "autotuner/trials/candidate.h"
#include "autotuner/trials/device_attempts.h"
#include "autotuner/trials/evaluator.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/search_events.h"

namespace pbtune {

/// Starting points and old members this many times slower than the best are cut off.
inline constexpr double kSlowestSeed = 4.0;

/// The limit of a trial that may take `factor` times as long as `base_ns`.
///
/// Units:   nanoseconds; result in milliseconds
[[nodiscard]] double limit_ms(double base_ns, double factor);

class Trials {
 public:
  /// Keeps references to `space`, `events` and `population`, which says how fast the best member is.
  Trials(const Space& space, Evaluator evaluator, const SearchEvents& events, const Population& population);

  /// Makes inputs and their reference. If they are ready, all that follows is at that size.
  ///
  /// Errors:  throws Interrupted, pbrt::RuntimeError; so do measure and confirm
  [[nodiscard]] Prepared begin_size(const PrepareSpec& spec);
  /// Makes other inputs of the same size; `reference` makes the outputs that are right. If that does not work, or the
  /// evaluator has no others, those at hand stay; returns false then.
  ///
  /// Errors:  throws Interrupted, pbrt::RuntimeError
  bool renew(const Configuration& reference);
  /// Measures a candidate and records the times; false if it failed. No limit if `limit_ms` is 0.
  bool measure(Candidate& candidate, int trials, double limit_ms, bool is_side_by_side = false);
  /// Says which configurations will probably be measured next, soonest first.
  void expect(std::span<const Configuration> configurations) const {
    if (evaluator_.expect) evaluator_.expect(configurations);
  }
  /// Tests whether a candidate that is accurate enough on these inputs is so on others; if not, it misses its target.
  void confirm(Candidate& candidate);
  /// How many times as long as `base_ns` the last run took; infinite if it did not end, 1 if it failed otherwise.
  [[nodiscard]] double factor_of_last(double base_ns) const;
  /// Whether the outputs of the last run differed from the reference.
  [[nodiscard]] bool was_last_wrong() const { return was_last_wrong_; }
  /// Whether the configuration chooses, at this size, something that took part in several runs that crashed or hung,
  /// and in no run that ended.
  [[nodiscard]] bool is_hopeless(const Configuration& configuration) const;

  [[nodiscard]] std::int64_t n() const { return n_; }
  /// Seconds since the search began, as Evaluator::elapsed_s says.
  [[nodiscard]] double elapsed_s() const { return evaluator_.elapsed_s(); }
  /// The duration of a trial with the time `time_ns`, which is a mean where there are several cases.
  [[nodiscard]] double work_s(double time_ns) const { return time_ns * 1e-9 * work_factor_; }
  /// What a run at this size takes beside its trials: outputs put back and verified.
  [[nodiscard]] double overhead_s() const { return overhead_s_; }
  /// What making the inputs of this size took.
  [[nodiscard]] double prepare_s() const { return prepare_s_; }
  [[nodiscard]] int num_measured() const { return num_measured_; }
  /// What was tried on a device, at all sizes.
  [[nodiscard]] const DeviceAttempts& device_attempts() const { return device_attempts_; }

 private:
  void blame(const Configuration& configuration, const Outcome& outcome);
  double note_work(const Outcome& outcome);
  [[nodiscard]] double rank_of_accuracy(double accuracy) const;

  const Space& space_;
  Evaluator evaluator_;
  const SearchEvents& events_;
  const Population& population_;
  struct Record {
    int num_good = 0, num_fatal = 0;
  };
  std::map<std::pair<int, int>, Record> records_;  ///< by site and alternative: runs that ended, crashes and hangs
  DeviceAttempts device_attempts_;
  std::int64_t n_ = 0;
  double overhead_s_ = 0, prepare_s_ = 0;
  double work_factor_ = 1;  ///< how many times as long as their mean the cases of recent trials took together
  int num_runs_ = 0;        ///< at this size
  int num_measured_ = 0;
  bool was_last_wrong_ = false;
  double last_ns_ = 0;  ///< the least time of the last run; infinite if it did not end, 0 if it failed otherwise
};

}  // namespace pbtune
