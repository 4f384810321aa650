// SPDX-License-Identifier: MIT
// The end of a search: the best few side by side, then the winner against what it would replace. A file never gets
// slower by tuning: see Note [The last word].
#pragma once

#include <utility>
#include <vector>

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

 private:
  struct Contest {
    const char* phase;
    double end_s;
    double matters;  ///< how much faster
  };
  [[nodiscard]] std::vector<Candidate> finalists() const;
  [[nodiscard]] std::vector<Candidate> incumbents() const;
  [[nodiscard]] Candidate best_finalist();
  void contest(std::vector<Candidate>& contenders, const Contest& how);
  /// Moves the winner's memory to the other kind of pages if it is surely faster there.
  void try_other_pages(Candidate& winner);
  [[nodiscard]] const Candidate* verdict(const std::vector<Candidate>& contenders) const;
  void take(const Candidate& kept, double default_ns);

  FinalsContext context_;
  SearchResult& result_;
};

}  // namespace pbtune
