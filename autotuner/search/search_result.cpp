// SPDX-License-Identifier: MIT
#include "autotuner/search/search_result.h"

#include <algorithm>

namespace pbtune {
namespace {

/// What the default takes where a configuration takes its median: if the times were taken in turns, by the ratio of the
/// pairs, because medians of a machine that drifts may come from different moments.
double default_beside_ns(const Sample& times_ns, const Sample& default_times_ns) {
  if (default_times_ns.empty()) return 0;
  if (times_ns.size() != default_times_ns.size()) return median(default_times_ns);
  return median(times_ns) * paired_ratio(default_times_ns, times_ns, kFigureConfidence).ratio;
}

CaseResult case_result(const Sample& times_ns, const Sample& default_times_ns) {
  CaseResult out;
  if (times_ns.empty()) return out;
  out.best_ns = median(times_ns);
  out.default_ns = default_beside_ns(times_ns, default_times_ns);
  out.is_confirmed = times_ns.size() == default_times_ns.size() &&
                     (is_figure_known(times_ns, default_times_ns) || is_surely_faster(times_ns, default_times_ns, 0) ||
                      is_surely_faster(default_times_ns, times_ns, 0));
  return out;
}

}  // namespace

SearchResult make_result(const Candidate& candidate, std::int64_t n, const Candidate& standard) {
  SearchResult out;
  out.best = candidate.configuration;
  out.origin = candidate.origin;
  out.n = n;
  out.best_ns = median(candidate.times_ns);
  out.default_ns = default_beside_ns(candidate.times_ns, standard.times_ns);
  const std::size_t num_known = standard.times_ns.empty() ? 0 : standard.case_times_ns.size();
  for (std::size_t k = 0; k < candidate.case_times_ns.size(); ++k)
    out.cases.push_back(case_result(candidate.case_times_ns[k], k < num_known ? standard.case_times_ns[k] : Sample{}));
  out.ran = candidate.ran;
  out.meets_accuracy = candidate.meets_accuracy;
  out.accuracy = candidate.accuracy;
  return out;
}

}  // namespace pbtune
