// SPDX-License-Identifier: MIT
// The search (Phothilimthana et al., ASPLOS 2013, section 5.2): a population of configurations, a child is kept only if
// it beats its parent, input sizes that grow to the target. Beside the paper: starting points with one uniform choice
// everywhere, and a final comparison of the best few side by side. See Note [Deviations from the paper]. What is tried
// is a matter of a Strategy.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "autotuner/search/schedule.h"
#include "autotuner/search/search_options.h"
#include "autotuner/search/search_result.h"
#include "autotuner/search/selection.h"
#include "autotuner/search/site_sweep.h"
#include "autotuner/search/starting_points.h"
#include "autotuner/search/strategy.h"
#include "autotuner/space/search_space.h"
#include "autotuner/trials/evaluator.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/search_events.h"
#include "autotuner/trials/trials.h"

namespace pbtune {

class Search {
 public:
  /// Prepares a search. `extra_seeds` are configurations known from before. Without a `strategy`, Evolution proposes
  /// what is tried. Keeps a reference to `space`.
  Search(const Space& space, SearchOptions options, Evaluator evaluator, SearchEvents events,
         std::vector<NamedConfiguration> extra_seeds = {}, std::unique_ptr<Strategy> strategy = nullptr);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Searches. Throws Interrupted, pbrt::RuntimeError; best_so_far() is meaningful afterwards.
  SearchResult run();
  [[nodiscard]] const SearchResult& best_so_far() const { return result_; }
  [[nodiscard]] const std::vector<Candidate>& population() const { return population_.members(); }
  [[nodiscard]] bool has_result() const { return !result_.best.tunables.empty(); }

 private:
  bool tune_size(std::size_t size_index);
  [[nodiscard]] bool begin_size(std::size_t size_index);
  void seed_population(std::int64_t previous_n);
  [[nodiscard]] std::vector<StartingPoint> starting_points(std::int64_t previous_n);
  void add_site_choices(const Candidate& best, std::int64_t previous_n, std::vector<StartingPoint>& starts);
  [[nodiscard]] bool is_long(double run_ns) const;
  /// Whether a starting point is to be left out: it was measured, or it did badly before and there is little time.
  [[nodiscard]] bool is_skipped(const StartingPoint& start);
  bool try_start(StartingPoint& start, bool is_default);
  [[nodiscard]] double start_limit_ms() const;
  [[nodiscard]] double left_s() const;
  bool evolve_once();
  [[nodiscard]] Candidate make_child(const Candidate& parent, Configuration configuration, std::string origin);
  [[nodiscard]] bool is_first_of_kind(const Candidate& candidate, bool is_default);
  /// Lowers the accuracy values of a candidate, one after the other, as far as the target allows. Returns what it
  /// became, if that is faster. A choice may be far more accurate than it must be, and slow for that reason alone.
  [[nodiscard]] Candidate lower_accuracy(Candidate parent);
  /// Compares the best few that make different choices for the transform that is measured with their neighbours, each
  /// of which makes another choice at one site from size `from` on.
  void sweep_sites(std::int64_t from);
  /// Compares one of them, until `end_s`.
  void sweep_sites_of(Candidate parent, std::int64_t from, double end_s);
  /// Tries the usual work-group shapes and shares for every member that runs on a device, one value after the other.
  void sweep_usual_values();
  /// Tries them for one such member, until `end_s`.
  void sweep_from(Candidate parent, double end_s);
  /// True once for each configuration at a size.
  [[nodiscard]] bool is_new(const Configuration& configuration);
  void decide();
  void note_best();
  void publish(const std::string& phase);

  const Space& space_;
  SearchOptions options_;
  SearchEvents events_;
  std::vector<NamedConfiguration> extra_seeds_;
  StartingPoints starting_points_;
  SiteSweep site_sweep_;
  std::unique_ptr<Strategy> strategy_;
  Population population_;
  Schedule schedule_;
  Trials trials_;
  Selection selection_;
  std::set<std::string> tried_;  ///< fingerprints, at the current size
  std::vector<std::vector<RanChoice>>
      lowered_kinds_;               ///< of candidates whose accuracy values were lowered at this size
  std::vector<Candidate> lowered_;  ///< what they became, for the next size
  bool has_members_ = false;        ///< whether a smaller size left any
  SearchResult result_;
  Candidate default_;         ///< the default as measured at this size; without times if it did not end in time
  double reference_ns_ = -1;  ///< time of the run that made the reference at this size; below 0: unknown
  int next_id_ = 0;
};

}  // namespace pbtune
