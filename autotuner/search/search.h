// SPDX-License-Identifier: MIT
// The search (Phothilimthana et al., ASPLOS 2013, section 5.2): a population of configurations, a child is kept only if
// it beats its parent, input sizes that grow to the target. Beside the paper: a first look at the target, starting
// points with one uniform choice everywhere, and a final comparison of the best few side by side. See Note [Deviations
// from the paper]. What is tried is a matter of a Strategy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autotuner/search/attempts.h"
#include "autotuner/search/finals_context.h"
#include "autotuner/search/schedule.h"
#include "autotuner/search/search_options.h"
#include "autotuner/search/search_result.h"
#include "autotuner/search/selection.h"
#include "autotuner/search/starting_points.h"
#include "autotuner/search/strategy.h"
#include "autotuner/search/sweeps.h"
#include "autotuner/space/search_space.h"
#include "autotuner/trials/evaluator.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/references.h"
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
  /// After run() was interrupted: compares the best so far with what it would replace, at the target size, for about
  /// `seconds`. best_so_far() is what stays, confirmed if there was time for it.
  ///
  /// Errors:  throws Interrupted, pbrt::RuntimeError; best_so_far() is meaningful afterwards
  void confirm_best(double seconds);
  [[nodiscard]] const std::vector<Candidate>& population() const { return population_.members(); }
  [[nodiscard]] bool has_result() const { return !result_.best.tunables.empty(); }

 private:
  /// What a first look at the target found.
  struct Seen {
    std::vector<Candidate> members;  ///< best first
    Candidate standard;              ///< as default_
    double prepare_s = 0;
  };
  /// The size before, and the time of its best; 0: there is none.
  struct Before {
    std::int64_t n = 0;
    double best_ns = 0;
  };
  [[nodiscard]] bool look_at_target();
  void climb();
  [[nodiscard]] bool come_back();
  [[nodiscard]] bool is_at_target() const { return trials_.n() == options_.sizes.back(); }
  [[nodiscard]] Prepared prepare(std::int64_t n);
  [[nodiscard]] PrepareStatus tune_size(std::size_t size_index);
  void tune_here(std::vector<StartingPoint> starts, const Before& before);
  void seed_population(std::vector<StartingPoint> starts);
  [[nodiscard]] std::vector<StartingPoint> starting_points(std::int64_t previous_n);
  /// Whether a starting point is to be left out: it was measured, or it did badly before and there is little time.
  [[nodiscard]] bool is_skipped(const StartingPoint& start);
  bool try_start(StartingPoint& start, bool is_default);
  [[nodiscard]] bool is_default_hopeless() const;
  void doubt_reference();
  [[nodiscard]] double start_limit_ms() const;
  bool evolve_once();
  [[nodiscard]] bool is_first_of_kind(const Candidate& candidate, bool is_default);
  [[nodiscard]] FinalsContext finals_context();
  void note_best();
  void publish(const std::string& phase);

  const Space& space_;
  SearchOptions options_;
  SearchEvents events_;
  std::vector<NamedConfiguration> extra_seeds_;
  StartingPoints starting_points_;
  Population population_;
  Schedule schedule_;
  Trials trials_;
  References references_;
  Selection selection_;
  Attempts attempts_;
  Proposals proposals_;
  Sweeps sweeps_;
  std::vector<std::vector<RanChoice>>
      lowered_kinds_;               ///< of candidates whose accuracy values were lowered at this size
  std::vector<Candidate> lowered_;  ///< what they became, for the next size
  bool has_members_ = false;        ///< whether a smaller size left any
  SearchResult result_;
  Candidate default_;           ///< the default as measured at this size; without times if it did not end in time
  double prepare_again_s_ = 0;  ///< what the inputs and the reference would take a second time
  double work_before_s_ = 0;    ///< duration of a run of the best at the size before
  double reference_ns_ = 0;     ///< time of the run that made the reference at this size; 0: unknown
  bool is_ready_ = false;       ///< whether the inputs are those of the size of trials_
  std::optional<Seen> seen_;    ///< nothing if there was no look, or nothing ran
};

}  // namespace pbtune
