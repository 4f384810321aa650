// SPDX-License-Identifier: MIT
// A contest at the end of a search: candidates measured in turns, on the same inputs in the same memory, until the
// first one is surely faster than the others or surely not. All figures that a person reads come from contests.
#pragma once

#include <vector>

#include "autotuner/search/finals_context.h"

namespace pbtune {

struct ContestRules {
  const char* phase;  ///< for people
  double end_s;       ///< no round begins later, but for the first few, unless they would take much longer
  double matters;     ///< by how much the first must be faster
  /// Whether the times are reported: then rounds go on until the ratios are known well, as long as there is time.
  bool has_figures = false;
};

/// How a contest ended.
enum class ContestEnd : std::uint8_t {
  Proven,    ///< the first is surely faster than all others
  Refuted,   ///< it is surely not, or it fails
  OutOfTime  ///< neither, after all rounds for which there was time
};

/// Measures all in turns. The first stays among the contenders even if it fails; it has no times then. Others that
/// fail, or turn out to be inaccurate, leave. Each contender has one time per round.
///
/// Pre:     there are at least two contenders, without times
/// Errors:  throws Interrupted, pbrt::RuntimeError
[[nodiscard]] ContestEnd hold_contest(const FinalsContext& context, std::vector<Candidate>& contenders,
                                      const ContestRules& rules);

/// Whether times measured in turns speak for `a`, though they do not prove that it is faster: it was faster in each of
/// several rounds, by much, or in each of two, beyond doubt.
[[nodiscard]] bool is_probably_faster(const Sample& a, const Sample& b);

}  // namespace pbtune
