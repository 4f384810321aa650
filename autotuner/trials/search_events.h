// SPDX-License-Identifier: MIT
// What a search tells while it runs, for progress and logs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "autotuner/trials/candidate.h"
#include "autotuner/trials/evaluator.h"

namespace pbtune {

/// What the search is doing, for progress and logs.
struct SearchState {
  std::int64_t n = 0;
  int size_index = 0, num_sizes = 0;
  std::string phase;                   ///< `trying starting points`, `evolving`, `comparing the best`
  double best_ns = 0, default_ns = 0;  ///< at this size; 0: not known
  double elapsed_s = 0, budget_s = 0;
  int num_measured = 0;
};

struct SearchEvents {
  std::function<void(const SearchState&)> on_state = [](const SearchState&) {};
  std::function<void(const std::string&)> on_trying = [](const std::string&) {};
  std::function<void(const Candidate& child, const Candidate& parent)> on_kept = [](const Candidate&,
                                                                                    const Candidate&) {};
  /// A candidate that failed; a wrong one that would have been the fastest is marked.
  std::function<void(const Candidate&, const Outcome&, bool is_wrong_but_fast)> on_failed = [](const Candidate&,
                                                                                               const Outcome&, bool) {};
  std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

}  // namespace pbtune
