// SPDX-License-Identifier: MIT
// What a search found.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/trials/candidate.h"

namespace pbtune {

/// Where a result's choices come from: found by the search, or, if nothing found is surely faster, kept from the
/// default or from before.
enum class Kept : std::uint8_t { Found, Default, Before };

struct SearchResult {
  Configuration best;
  Kept kept = Kept::Found;
  std::string origin;
  std::int64_t n = 0;                  ///< the size at which it was compared last
  double best_ns = 0, default_ns = 0;  ///< medians; default 0: it did not finish in time
  /// Whether these times were measured in turns after the selection, and prove what they say.
  bool is_confirmed = false;
  std::vector<RanChoice> ran;  ///< choices that took part
  bool meets_accuracy = true;
  double accuracy = 0;  ///< see Candidate::accuracy
  /// The result's differences from the default. Each consists of the words for taking it back, and how many times
  /// slower the result would be without it.
  std::vector<std::pair<std::string, double>> losses;
  bool is_complete = false;  ///< reached the target and compared the best
};

/// The result that `candidate` is at size `n`.
///
/// Units:   nanoseconds; `default_ns` 0: not known
[[nodiscard]] SearchResult make_result(const Candidate& candidate, std::int64_t n, double best_ns, double default_ns);

}  // namespace pbtune
