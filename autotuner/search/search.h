// SPDX-License-Identifier: MIT
// The evolutionary search (Phothilimthana et al., ASPLOS 2013, section 5.2): a population of
// configurations, asexual mutation, a child is kept only if it beats its parent, input sizes that grow
// to the target. Beside the paper: starting points with one uniform choice everywhere, and a
// final comparison of the best few side by side. See Note [Deviations from the paper].
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/search/evaluator.h"
#include "autotuner/search/mutators.h"
#include "autotuner/search/search_space.h"
#include "autotuner/search/statistics.h"
#include "runtime/config/rng.h"

namespace pbtune {

struct SearchOptions {
  std::vector<std::int64_t> sizes;  ///< growing; the last is the target
  double budget_s = 45;             ///< for everything
  int max_population = 8;
  int max_failures = 60;  ///< children in a row that bring nothing, per size, at the target twice as many, or, while they are cheap, 20 times
  int min_trials = 2;
  int max_trials = 6;
  int num_finalists = 4;
  int final_trials = 8;  ///< rounds in turns; up to eight times as many, or 100, if they do not decide
  double matters = 0.015;  ///< relative differences below this are no difference
  /// Whether each uniform choice is a starting point of its own at the target, too, and not only above the best of smaller sizes.
  /// False for programs that call themselves: one rule at all sizes may take forever.
  bool has_pure_starts = true;
  std::uint64_t seed = 1;
};

struct Candidate {
  Configuration configuration;
  std::string origin;  ///< `all opencl`, `change Conv.split_size`, …
  int id = 0;          ///< in order of appearance
  int parent = -1;
  Sample times_ns;             ///< at the current size
  bool meets_accuracy = true;  ///< in all trials
  bool is_confirmed = false;   ///< was asked, at this size, whether it is accurate beyond the inputs at hand
  bool is_refuted = false;     ///< it is not
  double accuracy = 0;         ///< of the worst trial; more is better: where less is, the metric negated
  std::vector<RanChoice> ran;
};

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

/// The origin of a result's choices: something found, or, since nothing found is surely faster, what was there before.
enum class Kept : std::uint8_t { Found, Default, Before };

struct SearchResult {
  Configuration best;
  Kept kept = Kept::Found;
  std::string origin;
  std::int64_t n = 0;                  ///< the size at which it was compared last
  double best_ns = 0, default_ns = 0;  ///< medians side by side; default 0: it did not finish in time
  std::vector<RanChoice> ran;          ///< what took part
  bool meets_accuracy = true;
  double accuracy = 0;       ///< as in Candidate
  /// The result's differences from the default, each as what taking it back would change, and how many times slower it would be.
  std::vector<std::pair<std::string, double>> losses;
  bool is_complete = false;  ///< reached the target and compared the best
};

class Search {
 public:
  /// Prepares a search. `extra_seeds` are configurations known from before. Keeps a reference to `space`.
  Search(const Space& space, SearchOptions options, Evaluator evaluator, SearchEvents events,
         std::vector<NamedConfiguration> extra_seeds = {});

  /// Searches. Throws Interrupted, pbrt::RuntimeError; best_so_far() is meaningful afterwards.
  SearchResult run();
  [[nodiscard]] const SearchResult& best_so_far() const { return result_; }
  [[nodiscard]] const std::vector<Candidate>& population() const { return population_; }
  [[nodiscard]] bool has_result() const { return !result_.best.tunables.empty(); }

 private:
  bool tune_size(std::size_t size_index);
  void seed_population(bool is_first);
  std::vector<Candidate> starting_points(bool is_first);
  bool evolve_once();
  [[nodiscard]] bool is_exhausted(int failures, bool is_last, double begin_s, double end_s) const;
  /// Tries the usual work-group shapes and shares for every member that runs on a device, one value after the other.
  void sweep_usual_values();
  [[nodiscard]] const Mutator* draw_mutator(const std::vector<RanChoice>& ran);
  bool make_child(const Candidate& parent, Candidate& child);
  bool try_child(Candidate& child, Candidate& parent);
  bool beats_side_by_side(Candidate& child, Candidate& parent);
  void blame(const Configuration& configuration, const Outcome& outcome);
  [[nodiscard]] bool is_hopeless(const Configuration& configuration) const;
  /// Measures a candidate and records the times; false if it failed.
  bool measure(Candidate& candidate, int trials, double limit_ms, bool is_side_by_side = false);
  /// Asks whether a candidate that seems accurate enough is so beyond these inputs; if not, it misses its target.
  void confirm(Candidate& candidate);
  bool is_kept(Candidate& child, Candidate& parent);
  void sort_and_prune();
  [[nodiscard]] std::vector<Candidate> finalists() const;
  [[nodiscard]] std::vector<Candidate> incumbents() const;
  /// The best of the finalists, re-measured in turns.
  [[nodiscard]] Candidate best_finalist();
  /// Says the last word: the winner replaces the default, and what the file had before, only if it is surely faster.
  void decide();
  struct Contest {
    const char* phase;
    double end_s;
    double matters;  ///< how much faster
  };
  void contest(std::vector<Candidate>& contenders, const Contest& how);
  /// Takes back what the winner has otherwise than the default, one thing after the other, where nothing is lost by it.
  /// Returns what is lost without what stays.
  std::vector<std::pair<std::string, double>> take_back(Candidate& winner);
  [[nodiscard]] std::optional<double> loss_of(Candidate& plain, const Candidate& winner, double end_s);
  /// Puts the winner's memory on the other kind of pages where it is surely faster so.
  void try_other_pages(Candidate& winner);
  [[nodiscard]] const Candidate* verdict(const std::vector<Candidate>& contenders) const;
  void take(const Candidate& kept, double default_ns);
  /// The parts of decide(): comparing the best, taking back, then pages, then what is there. The last takes two parts of the
  /// time: if it is undecided, all was in vain.
  [[nodiscard]] int num_final_parts() const { return space_.large_pages() ? 5 : 4; }
  /// The time at which so many of decide()'s parts must be left.
  [[nodiscard]] double end_before_parts(int num_left) const {
    return options_.budget_s - final_reserve_s() * num_left / num_final_parts();
  }
  /// The time that is reserved for decide().
  [[nodiscard]] double final_reserve_s() const;
  void note_best();
  void publish(const std::string& phase);
  [[nodiscard]] double share_of(std::size_t size_index) const;
  [[nodiscard]] bool is_small(std::size_t size_index) const;
  [[nodiscard]] bool will_fit(std::size_t size_index) const;
  [[nodiscard]] double best_ns() const;
  [[nodiscard]] double limit_ms(double base_ns, double factor) const;
  [[nodiscard]] double generous_limit_ms() const;
  [[nodiscard]] double start_limit_ms() const;
  [[nodiscard]] double child_limit_ms(const Candidate& parent) const;
  /// Whether some member is as accurate as it must be: only then do times say anything.
  [[nodiscard]] bool has_accurate() const { return !population_.empty() && population_[0].meets_accuracy; }
  [[nodiscard]] SearchResult result_of(const Candidate& candidate, double best_ns, double default_ns) const;
  [[nodiscard]] std::size_t tournament();

  const Space& space_;
  SearchOptions options_;
  Evaluator evaluator_;
  SearchEvents events_;
  std::vector<NamedConfiguration> extra_seeds_;
  std::vector<Mutator> mutators_;
  pbrt::Rng rng_;

  std::vector<Candidate> population_;  ///< best first
  std::set<std::string> tried_;        ///< fingerprints, at the current size
  struct Record {
    int num_good = 0, num_fatal = 0;
  };
  std::map<std::pair<int, int>, Record> records_;  ///< by site and alternative: runs that ended, crashes and hangs
  SearchResult result_;
  std::int64_t n_ = 0, previous_n_ = 0;
  std::size_t size_index_ = 0;
  double deadline_s_ = 0;  ///< of the current size
  double default_ns_ = 0;
  Candidate default_;  ///< as measured at this size; without times if it did not end in time
  double overhead_s_ = 0;  ///< of a run at this size, beside its trials: inputs restored, outputs verified
  int num_runs_ = 0;       ///< at this size
  double previous_best_ns_ = 0, growth_ = 0;  ///< time per doubling of the size, measured
  int next_id_ = 0, num_measured_ = 0;
};

/// Whether `a` is ranked before `b`. Candidates that are accurate enough come first, by time; then the others, by accuracy.
[[nodiscard]] bool ranks_before(const Candidate& a, const Candidate& b);

/// Sizes that grow up to `target` by `factor`, from about max(64, target / 64) on; for a program that calls itself, from a few
/// on.
[[nodiscard]] std::vector<std::int64_t> growing_sizes(std::int64_t target, int factor, bool is_recursive = false);

}  // namespace pbtune
