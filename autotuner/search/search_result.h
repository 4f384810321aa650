// SPDX-License-Identifier: MIT
// What a search found.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/trials/candidate.h"
#include "autotuner/trials/device_attempts.h"
#include "autotuner/trials/evaluator.h"
#include "runtime/config/formats/config_file.h"

namespace pbtune {

/// Where a result's choices come from: found by the search, or, if nothing found is surely faster, kept from the
/// default or from before.
enum class Kept : std::uint8_t { Found, Default, Before };

/// What a result takes for one of several cases.
struct CaseResult {
  double best_ns = 0, default_ns = 0;  ///< 0: not known, or the case took no part
  bool is_confirmed = false;           ///< these times alone prove which is faster, or that none is
};

struct SearchResult {
  Configuration best;
  Kept kept = Kept::Found;
  std::string origin;
  std::int64_t n = 0;  ///< the size at which it was compared last
  /// Medians, of the means of the cases if there are several; default 0: it did not finish in time. If both were
  /// measured in turns, their ratio is that of the pairs.
  double best_ns = 0, default_ns = 0;
  std::vector<CaseResult> cases{};  ///< one for each case, if there are several
  /// Whether these times were measured in turns after the selection, and prove what they say.
  bool is_confirmed = false;
  std::vector<RanChoice> ran;  ///< choices that took part
  bool meets_accuracy = true;
  double accuracy = 0;  ///< see Candidate::accuracy
  /// The result's differences from the default. Each consists of the words for taking it back, and how many times
  /// slower the result would be without it.
  std::vector<std::pair<std::string, double>> losses;
  /// The fastest runs on a device of the sites that the result has on the CPU, the fastest first; of a
  /// search that ended before its time: none.
  std::vector<DeviceAttempt> device_attempts{};
  std::vector<pbrt::DeviceLoss> device_losses{};  ///< the same with what they cost, once that was measured
  Verification verification{};
  bool is_complete = false;  ///< reached the target and compared the best
};

/// The result that `candidate` is at size `n`, beside the default, which may have no times. If both have as many times,
/// these count as taken in turns.
///
/// Pre:     `candidate` has times
[[nodiscard]] SearchResult make_result(const Candidate& candidate, std::int64_t n, const Candidate& standard);

}  // namespace pbtune
