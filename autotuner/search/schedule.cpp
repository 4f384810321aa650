// SPDX-License-Identifier: MIT
#include "autotuner/search/schedule.h"

#include <algorithm>
#include <cmath>

#include "autotuner/trials/statistics.h"

namespace pbtune {
namespace {

constexpr double kLeastTrials = 6;    // runs of the best without which a size is of no use
constexpr double kFinalShare = 0.15;  // share of the budget for comparing the best
constexpr double kTargetShare = 0.8;  // share of the time left for the target size; the smaller sizes share the rest
constexpr double kSmallShare = 0.03;  // share of the budget for each size that matters only for recursion
// The smallest size for recursive programs, whose small calls are part of every larger one.
constexpr std::int64_t kLeastRecursive = 4;

/// The size below which times say little about the target.
std::int64_t least_size(std::int64_t target) { return std::max<std::int64_t>(64, target / 64); }

}  // namespace

std::vector<std::int64_t> growing_sizes(std::int64_t target, int factor, bool is_recursive) {
  const std::int64_t least = is_recursive ? kLeastRecursive : least_size(target);
  std::vector<std::int64_t> sizes{target};
  while (sizes.back() / factor >= least) sizes.push_back(sizes.back() / factor);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

bool Schedule::will_fit(std::size_t size_index, std::int64_t n, double best_s, double elapsed_s) const {
  if (best_s <= 0) return true;  // without this size there may be nothing
  if (elapsed_s >= options_.budget_s) return false;
  if (growth_ <= 0) return true;
  const double doublings = std::log2(static_cast<double>(options_.sizes[size_index]) / static_cast<double>(n));
  const double next_s = best_s * std::exp2(growth_ * doublings);
  return next_s * kLeastTrials < options_.budget_s - elapsed_s;
}

bool Schedule::will_fit_again(double prepare_s, double best_s, double elapsed_s) const {
  return prepare_s + kLeastTrials * best_s < options_.budget_s - elapsed_s;
}

void Schedule::begin_size(std::size_t size_index, double elapsed_s) {
  const double left_s = options_.budget_s * (1 - kFinalShare) - elapsed_s;
  deadline_s_ = elapsed_s + std::max(0.0, left_s * share_of(size_index));
  size_index_ = size_index;
}

void Schedule::note_growth(std::int64_t from_n, double from_ns, std::int64_t to_n, double to_ns) {
  growth_ = growth_between(from_n, from_ns, to_n, to_ns);
}

/// The part of the time that is left which a size may take.
double Schedule::share_of(std::size_t size_index) const {
  const std::size_t num_larger = options_.sizes.size() - size_index - 1;
  if (num_larger == 0) return 1;
  if (is_small(size_index)) return kSmallShare;
  return (1 - kTargetShare) / static_cast<double>(std::min<std::size_t>(num_larger, 3));
}

bool Schedule::is_small(std::size_t size_index) const {
  return options_.sizes[size_index] < least_size(options_.sizes.back()) && size_index + 1 < options_.sizes.size();
}

double Schedule::end_s(const RunCosts& costs) const {
  return is_last() ? std::min(deadline_s_, end_before_parts(num_final_parts_, costs)) : deadline_s_;
}

bool Schedule::is_exhausted(int failures, double elapsed_s, double begin_s, double end_s) const {
  constexpr double kLittle = 0.25;
  constexpr int kTargetFactor = 2, kCheapFactor = 10;
  if (!is_last()) return failures >= options_.max_failures;
  const bool is_cheap = elapsed_s - begin_s < kLittle * (end_s - begin_s);
  return failures >= kTargetFactor * options_.max_failures * (is_cheap ? kCheapFactor : 1);
}

double Schedule::generous_limit_ms(double elapsed_s) const {
  return 0.3 * std::max(1.0, deadline_s_ - elapsed_s) * 1e3;
}

double Schedule::end_before_parts(int num_left, const RunCosts& costs) const {
  if (num_left == 0) return last_word_s();
  return last_word_s() - last_word_reserve_s(costs) -
         earlier_reserve_s(costs) * (num_left - 1) / (num_final_parts_ - 1);
}

double Schedule::last_word_reserve_s(const RunCosts& costs) const {
  constexpr double kMostReserved = 0.22;  // largest share of the budget to reserve
  constexpr double kMostForLeast = 0.35;  // the same for the rounds without which a gain counts for nothing
  constexpr int kNumBest = 2;             // the winner, and what the file had before
  constexpr int kRounds = kEnoughRounds + 2;
  const double round_s = kNumBest * (costs.best_s + costs.overhead_s) + costs.default_s + costs.overhead_s;
  const double wanted_s =
      std::min(kMostReserved * options_.budget_s, std::max(kRounds, options_.final_trials) * round_s);
  return std::max(wanted_s, std::min(kMostForLeast * options_.budget_s, kLeastContestRounds * round_s));
}

double Schedule::earlier_reserve_s(const RunCosts& costs) const {
  constexpr double kMostReserved = 0.18;  // largest share of the budget to reserve
  constexpr int kNumPlain = 2, kNumTakenBack = 4;
  const double best_s = costs.best_s + costs.overhead_s;
  const double finals_s = (options_.num_finalists + kNumPlain) * best_s;
  const double part_s = options_.final_trials * std::max(finals_s, 2 * kNumTakenBack * best_s);
  return std::min(kMostReserved * options_.budget_s, (num_final_parts_ - 1) * part_s);
}

bool Schedule::is_long(double run_s, double elapsed_s) const {
  constexpr double kMostOfTime = 0.01;
  return run_s > kMostOfTime * left_s(elapsed_s);
}

}  // namespace pbtune
