// SPDX-License-Identifier: MIT
// The end of a search: the best few side by side, then the winner against what it would replace. A file never gets
// slower by tuning: see Note [The last word].
#pragma once

#include <utility>
#include <vector>

#include "autotuner/search/contest.h"
#include "autotuner/search/finals_context.h"
#include "autotuner/search/search_result.h"

namespace pbtune {

class Finals {
 public:
  /// Keeps the references of `context`, and one to `result`.
  Finals(FinalsContext context, SearchResult& result) : context_(std::move(context)), result_(result) {}

  /// Decides `result`: the winner replaces the default, and what the file had before, only if it is surely faster. The
  /// result stays as it is if no finalist runs any more; it is meaningful at any time.
  ///
  /// Errors:  throws Interrupted, pbrt::RuntimeError
  void decide();

  /// Compares `result` with what it would replace until `end_s`, for a search that ends before its time. Unless it
  /// proves to be faster, what is there stays. It remains unconfirmed if there is nothing that it can be compared with.
  ///
  /// Errors:  throws Interrupted, pbrt::RuntimeError; the result is meaningful then, and unconfirmed
  void confirm(double end_s);

 private:
  [[nodiscard]] std::vector<Candidate> finalists() const;
  [[nodiscard]] std::vector<Candidate> incumbents(double end_s) const;
  [[nodiscard]] Candidate best_finalist();
  /// Decides on which pages the winner's memory is: on those of the default, unless others are surely faster.
  void settle_pages(Candidate& winner);
  void renew_inputs(double end_s);
  /// Compares the winner with the incumbents, and takes the one that stays.
  void replace_incumbents(Candidate winner, const ContestRules& rules);
  [[nodiscard]] const Candidate* best_incumbent(const std::vector<Candidate>& contenders) const;
  void take(const Candidate& kept, const Candidate& standard);
  [[nodiscard]] bool is_default(const Candidate& candidate) const {
    return candidate.configuration == context_.space.default_configuration();
  }

  FinalsContext context_;
  SearchResult& result_;
};

}  // namespace pbtune
