// SPDX-License-Identifier: MIT
#include "autotuner/search/search_result.h"

namespace pbtune {

SearchResult make_result(const Candidate& candidate, std::int64_t n, double best_ns, double default_ns) {
  SearchResult out;
  out.best = candidate.configuration;
  out.origin = candidate.origin;
  out.n = n;
  out.best_ns = best_ns;
  out.default_ns = default_ns;
  out.ran = candidate.ran;
  out.meets_accuracy = candidate.meets_accuracy;
  out.accuracy = candidate.accuracy;
  return out;
}

}  // namespace pbtune
