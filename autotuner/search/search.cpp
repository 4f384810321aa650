// SPDX-License-Identifier: MIT
#include "autotuner/search/search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>

#include "autotuner/search/evolution.h"
#include "autotuner/search/finals.h"
#include "base/seeded_fault.h"
#include "runtime/config/errors.h"
#include "runtime/config/runtime_check.h"

namespace pbtune {
namespace {

// The first run of a configuration may be slower by this factor: it touches new memory.
constexpr double kColdFactor = 3.0;
// A starting point whose run takes much of the time that is left is cut off at this factor.
constexpr double kSlowestCostly = 2.5;

/// Whether `a` seems faster. The times were not taken in turns, so this does not decide what is written at the end.
bool seems_faster(const Sample& a, const Sample& b) {
  constexpr double kOneTrialFactor = 1.25, kMatters = 0.015;
  if (a.size() == 1 || b.size() == 1) return median(a) * kOneTrialFactor < median(b);
  return compare(a, b, kMatters, kConfidence) == Verdict::Faster;
}

}  // namespace

Search::Search(const Space& space, SearchOptions options, Evaluator evaluator, SearchEvents events,
               std::vector<NamedConfiguration> extra_seeds, std::unique_ptr<Strategy> strategy)
    : space_(space),
      options_(std::move(options)),
      events_(std::move(events)),
      extra_seeds_(std::move(extra_seeds)),
      starting_points_(space, extra_seeds_),
      strategy_(strategy ? std::move(strategy) : std::make_unique<Evolution>(space, options_.seed)),
      population_(options_.max_population),
      schedule_(options_, space.large_pages().has_value()),
      trials_(space, std::move(evaluator), events_, population_),
      selection_(options_, schedule_, population_, trials_),
      attempts_(space.index()),
      sweeps_({space_, schedule_, population_, trials_, selection_, attempts_, events_,
               [this](const std::string& phase) { publish(phase); }}) {
  PBRT_CHECK(!options_.sizes.empty(), "there is a size to tune for");
}

SearchResult Search::run() {
  for (std::size_t i = 0; i < options_.sizes.size(); ++i) {
    if (!schedule_.will_fit(i, trials_.n(), trials_.work_s(population_.best_ns()), trials_.elapsed_s())) {
      events_.on_note("size " + std::to_string(options_.sizes[i]) +
                      " does not fit into the time limit: stopped at size " + std::to_string(trials_.n()));
      break;
    }
    schedule_.begin_size(i, trials_.elapsed_s());
    if (!tune_size(i)) continue;
    note_best();
  }
  if (population_.is_empty()) throw pbrt::UserError("no configuration of the program runs at any of the sizes tried");
  decide();
  result_.is_complete = trials_.n() == options_.sizes.back();
  return result_;
}

/// Makes the inputs of a size. Returns false if there are none and other sizes are left.
bool Search::begin_size(std::size_t size_index) {
  const std::int64_t n = options_.sizes[size_index];
  const Prepared prepared = trials_.begin_size(n, population_.is_empty() ? nullptr : &population_.best().configuration);
  reference_ns_ = prepared.reference_ns;
  if (prepared.status == PrepareStatus::Ready) return true;
  if (prepared.status == PrepareStatus::Skipped) {
    if (schedule_.is_last())
      throw pbrt::UserError("the program has no inputs of size " + std::to_string(n) + ": " + prepared.message);
    return false;
  }
  if (prepared.reference_ns < 0 || schedule_.is_last())
    throw pbrt::UserError("size " + std::to_string(n) + ": " + prepared.message);
  events_.on_note("size " + std::to_string(n) + " is skipped: " + prepared.message);
  return false;
}

/// Tunes one size; false if there are no inputs of that size.
bool Search::tune_size(std::size_t size_index) {
  const std::int64_t previous_n = trials_.n();
  work_before_s_ = trials_.work_s(population_.best_ns());
  if (!begin_size(size_index)) return false;
  const double previous_ns = population_.best_ns();
  attempts_.begin_size();
  default_ = Candidate{};
  seed_population(previous_n);
  if (!population_.is_empty() && previous_ns > 0)
    schedule_.note_growth(previous_n, previous_ns, trials_.n(), population_.best_ns());
  population_.prune();
  sweeps_.try_sites(previous_n > 0 ? size_between(previous_n, trials_.n()) : 0);
  if (schedule_.is_last()) sweeps_.try_usual_values();
  const double end_s = schedule_.end_s(
      {trials_.work_s(population_.best_ns()), trials_.work_s(default_time_ns(default_)), trials_.overhead_s()});
  const double begin_s = trials_.elapsed_s();
  schedule_.end_size_at(end_s);
  rank_anew();
  for (int failures = 0, num_kept = 0;
       trials_.elapsed_s() < end_s && !schedule_.is_exhausted(failures, trials_.elapsed_s(), begin_s, end_s);) {
    constexpr int kKeptPerRanking = 12;
    publish("evolving");
    const bool is_kept = evolve_once();
    failures = is_kept ? 0 : failures + 1;
    if (is_kept && ++num_kept % kKeptPerRanking == 0) rank_anew();
    note_best();
  }
  return true;
}

std::vector<StartingPoint> Search::starting_points(std::int64_t previous_n) {
  const double best_s = work_before_s_;
  std::vector<Candidate> members = population_.take_all();
  for (Candidate& other : lowered_) members.push_back(std::move(other));
  lowered_.clear();
  for (Candidate& member : members) {
    member.times_ns.clear();
    member.rank_ns = 0;
    member.is_confirmed = member.is_refuted = false;
  }
  const bool is_last = schedule_.is_last();
  const SizeStep step{previous_n, trials_.n(), is_last, is_last && options_.has_pure_starts};
  const Candidate best = members.empty() ? Candidate{} : members[0];
  std::vector<StartingPoint> out = starting_points_.at(step, std::move(members));
  const double growth = static_cast<double>(trials_.n()) / static_cast<double>(std::max<std::int64_t>(previous_n, 1));
  if (schedule_.is_long(growth * best_s, trials_.elapsed_s())) {
    std::vector<StartingPoint> promising = sweeps_.promising_choices(best, previous_n);
    const auto first_uniform =
        std::find_if(out.begin(), out.end(), [](const StartingPoint& start) { return start.seed >= 0; });
    out.insert(first_uniform, std::make_move_iterator(promising.begin()), std::make_move_iterator(promising.end()));
  }
  for (StartingPoint& start : out)
    if (start.candidate.id < 0) start.candidate.id = attempts_.next_id();
  return out;
}

/// Measures the default, the members of the last size and the starting points. Those that work become the population.
/// Once one on a device was far slower than the best, the others on devices wait until the rest was tried: where the
/// device is slow, they would take all the time.
void Search::seed_population(std::int64_t previous_n) {
  has_members_ = !population_.is_empty();
  std::vector<StartingPoint> starts = starting_points(previous_n);
  std::deque<StartingPoint*> waiting, on_slow_device;
  lowered_kinds_.clear();
  for (StartingPoint& start : starts) waiting.push_back(&start);
  bool is_device_slow = false;
  for (; !waiting.empty() || !on_slow_device.empty(); waiting.pop_front()) {
    if (waiting.empty()) {
      waiting.swap(on_slow_device);
      is_device_slow = false;
    }
    StartingPoint& start = *waiting.front();
    const bool is_default = &start == &starts.front();
    const bool is_on_device = space_.uses_device(start.candidate.configuration);
    if (is_device_slow && is_on_device) {
      on_slow_device.push_back(&start);
      continue;
    }
    if (is_skipped(start)) continue;
    const bool is_late = trials_.elapsed_s() > schedule_.deadline_s() && population_.members().size() > 1;
    if (is_late) break;
    publish("trying " + start.candidate.origin);
    const bool is_close = try_start(start, is_default);
    if (is_on_device && !is_default) is_device_slow = !is_close;
  }
  population_.sort();
}

bool Search::is_skipped(const StartingPoint& start) {
  if (!attempts_.is_new(start.candidate.configuration)) return true;
  if (start.seed < 0) return false;
  return trials_.is_hopeless(start.candidate.configuration) ||
         !is_worth_a_run(starting_points_.factor(start), trials_.work_s(population_.best_ns()),
                         schedule_.left_s(trials_.elapsed_s()));
}

/// Measures a starting point; it becomes a member if it is not far slower than the best, or if it is the default.
/// Returns whether it is not far slower.
bool Search::try_start(StartingPoint& start, bool is_default) {
  Candidate& candidate = start.candidate;
  const double limit = start_limit_ms();
  const bool has_run = trials_.measure(candidate, 1, limit);
  starting_points_.note(start, trials_.factor_of_last(population_.best_ns()));
  if (!has_run) return false;
  if (is_first_of_kind(candidate, is_default)) {
    Candidate lowered = sweeps_.lower_accuracy(candidate);
    lowered_.push_back(lowered);
    if (population_.has_accurate()) starting_points_.note(start, rank_time_ns(lowered) / population_.best_ns());
    if (is_default)
      population_.add(std::move(lowered));
    else
      candidate = std::move(lowered);
  }
  // The first run may include the cost of new memory. So it only decides whether further runs are worth their time.
  if (population_.has_accurate() && minimum(candidate.times_ns) < kSlowestSeed * kColdFactor * population_.best_ns()) {
    candidate.times_ns.clear();
    if (!trials_.measure(candidate, std::max(1, options_.min_trials - 1), limit)) return false;
  }
  const bool is_close =
      !population_.has_accurate() || minimum(candidate.times_ns) < kSlowestSeed * population_.best_ns();
  // Runs on other inputs are dear. Without them, one that is slower than the best cannot do harm: the end tests it.
  const bool is_best = !population_.has_accurate() || median(candidate.times_ns) < population_.best_ns();
  if (is_best || is_default) trials_.confirm(candidate);
  if (is_default && candidate.meets_accuracy) default_ = candidate;
  if (is_close || is_default) population_.add(std::move(candidate));
  population_.sort();
  return is_close;
}

/// The limit of a trial of a starting point. It is wide, because the first run of a configuration may be slow. Without
/// a time to compare with, the starting point may take some times as long as the reference did, even if no time is
/// left: else nothing would be found.
double Search::start_limit_ms() const {
  if (population_.has_accurate()) {
    // Where runs are long, one that ends late may take all the time that is left.
    constexpr double kMostOfTime = 0.2;
    const double most = std::max(kSlowestCostly * population_.best_ns(),
                                 kMostOfTime * schedule_.left_s(trials_.elapsed_s()) / trials_.work_s(1));
    return std::min(limit_ms(population_.best_ns(), kSlowestSeed * kColdFactor), limit_ms(most, 1));
  }
  const double generous = schedule_.generous_limit_ms(trials_.elapsed_s());
  return reference_ns_ > 0 ? std::max(generous, limit_ms(reference_ns_, kSlowestSeed)) : generous;
}

/// Measures the members in turns, and ranks them by these times alone, if that takes a small part of the time left. See
/// Note [Ranks on a machine that drifts] in candidate.cpp.
void Search::rank_anew() {
  constexpr double kMostShare = 0.05;
  constexpr int kNumTrials = 3;
  const auto num_members = static_cast<double>(population_.members().size());
  const double run_s = trials_.work_s(population_.best_ns()) + trials_.overhead_s();
  const double left_s = schedule_.left_s(trials_.elapsed_s());
  if (!population_.has_accurate() || num_members * kNumTrials * run_s > kMostShare * left_s) return;
  std::vector<Candidate> fresh = population_.members();
  std::for_each(fresh.begin(), fresh.end(), forget_times);
  for (int trial = 0; trial < kNumTrials; ++trial)
    for (std::size_t i = 0; i < fresh.size(); ++i)
      (void)trials_.measure(fresh[i], 1, limit_ms(median(population_.members()[i].times_ns), kSlowestSeed), true);
  // A member that did not end in time this time keeps what is known of it.
  for (std::size_t i = 0; i < fresh.size(); ++i)
    if (!fresh[i].times_ns.empty()) population_.member(i) = std::move(fresh[i]);
  population_.sort();
}

/// Makes and tests one child; true if it was kept.
bool Search::evolve_once() {
  if (population_.is_empty()) return false;
  const auto claim = [&](const Configuration& configuration) {
    return !trials_.is_hopeless(configuration) && attempts_.is_new(configuration);
  };
  std::optional<Proposal> proposal = strategy_->propose(population_, trials_.n(), claim);
  if (!proposal) return false;
  Candidate& parent = population_.member(proposal->parent);
  Candidate child = attempts_.child_of(parent, std::move(proposal->configuration), std::move(proposal->origin));
  if (!selection_.keeps(child, parent) && !PB_FAULT(weak_child_is_kept)) return false;
  events_.on_kept(child, parent);
  population_.add(std::move(child));
  population_.prune();
  return true;
}

/// Whether the accuracy values of a starting point are to be lowered: it is accurate, and the first at this size with
/// its choices for the transform that is measured. The default waits for members with the same choices.
bool Search::is_first_of_kind(const Candidate& candidate, bool is_default) {
  constexpr std::size_t kMostKinds = 8;
  if (!space_.options().accuracy.has_target || !candidate.meets_accuracy) return false;
  if ((is_default && has_members_) || lowered_kinds_.size() == kMostKinds) return false;
  std::vector<RanChoice> kind = candidate.ran;
  std::erase_if(kind, [&](const RanChoice& ran) {
    return space_.index().site(ran.site).transform->name != space_.options().measured;
  });
  if (std::find(lowered_kinds_.begin(), lowered_kinds_.end(), kind) != lowered_kinds_.end()) return false;
  lowered_kinds_.push_back(std::move(kind));
  return true;
}

FinalsContext Search::finals_context() {
  return {space_,   options_,     schedule_, population_,
          default_, extra_seeds_, trials_,   [this](const std::string& phase) { publish(phase); }};
}

void Search::decide() { Finals(finals_context(), result_).decide(); }

void Search::confirm_best(double seconds) {
  if (!has_result()) return;
  const double end_s = trials_.elapsed_s() + seconds;
  const std::int64_t target_n = options_.sizes.back();
  if (trials_.n() != target_n) {
    result_.is_confirmed = false;
    const Prepared prepared = trials_.begin_size(target_n, &result_.best);
    if (prepared.status != PrepareStatus::Ready) return;
    default_ = Candidate{};
    default_.configuration = space_.default_configuration();
    default_.origin = "the default";
    default_.times_ns = {prepared.reference_ns};
  }
  Finals(finals_context(), result_).confirm(end_s);
}

/// Notes the configuration to write if the search ended now: the best, unless the times known so far speak against it.
void Search::note_best() {
  if (population_.is_empty()) return;
  population_.sort();
  const Candidate& best = population_.best();
  result_ = make_result(best, trials_.n(), default_);
  const bool is_default = best.configuration == space_.default_configuration();
  result_.is_confirmed = is_default;  // it claims nothing
  if (default_.times_ns.empty() || !best.meets_accuracy) return;
  if (!is_default && seems_faster(best.times_ns, default_.times_ns)) return;
  result_ = make_result(default_, trials_.n(), default_);
  result_.kept = Kept::Default;
  result_.is_confirmed = true;
}

void Search::publish(const std::string& phase) {
  SearchState state;
  state.n = trials_.n();
  state.size_index = static_cast<int>(schedule_.size_index());
  state.num_sizes = static_cast<int>(options_.sizes.size());
  state.phase = phase;
  state.best_ns = population_.best_ns();
  state.default_ns = default_time_ns(default_);
  state.elapsed_s = trials_.elapsed_s();
  state.budget_s = options_.budget_s;
  state.num_measured = trials_.num_measured();
  events_.on_state(state);
}

}  // namespace pbtune

// Note [Deviations from the paper]
// 1. The paper starts from one configuration; on a machine with a slow default and a minute of time that is too far from
//    where it pays to look, so every uniform choice is a starting point, at each size with the best of the smaller ones
//    below it.
// 2. A mutator is drawn only if what it changes took part in the parent's run: the rest cannot matter at this size.
// 3. Parent and child are timed in turns, because a shared machine drifts; old times of the parent never decide.
