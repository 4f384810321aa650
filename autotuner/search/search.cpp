// SPDX-License-Identifier: MIT
#include "autotuner/search/search.h"

#include <algorithm>
#include <cmath>
#include <deque>
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
      strategy_(strategy ? std::move(strategy) : std::make_unique<Evolution>(space, options_.seed)),
      population_(options_.max_population),
      schedule_(options_, space.large_pages().has_value()),
      trials_(space, std::move(evaluator), events_, population_),
      selection_(options_, schedule_, population_, trials_) {
  PBRT_CHECK(!options_.sizes.empty(), "there is a size to tune for");
}

SearchResult Search::run() {
  for (std::size_t i = 0; i < options_.sizes.size(); ++i) {
    if (!schedule_.will_fit(i, trials_.n(), population_.best_ns(), trials_.elapsed_s())) {
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
  if (!begin_size(size_index)) return false;
  const double previous_ns = population_.best_ns();
  tried_.clear();
  default_ = Candidate{};
  seed_population(previous_n);
  if (!population_.is_empty() && previous_ns > 0)
    schedule_.note_growth(previous_n, previous_ns, trials_.n(), population_.best_ns());
  if (schedule_.is_last()) sweep_usual_values();
  const double end_s = schedule_.end_s({population_.best_ns(), default_time_ns(default_), trials_.overhead_s()});
  const double begin_s = trials_.elapsed_s();
  for (int failures = 0;
       trials_.elapsed_s() < end_s && !schedule_.is_exhausted(failures, trials_.elapsed_s(), begin_s, end_s);) {
    publish("evolving");
    failures = evolve_once() ? 0 : failures + 1;
    note_best();
  }
  return true;
}

std::vector<Candidate> Search::starting_points(std::int64_t previous_n) {
  std::vector<Candidate> out;
  const auto add = [&](Configuration configuration, const std::string& origin) {
    Candidate candidate;
    candidate.configuration = std::move(configuration);
    candidate.origin = origin;
    candidate.id = next_id_++;
    out.push_back(std::move(candidate));
  };
  add(space_.default_configuration(), "the default");
  const bool is_first = population_.is_empty();
  for (Candidate& member : population_.take_all()) {
    member.times_ns.clear();
    member.is_confirmed = member.is_refuted = false;
    if (member.configuration != out[0].configuration) out.push_back(std::move(member));
  }
  if (is_first)
    for (const NamedConfiguration& seed : extra_seeds_) add(seed.configuration, seed.name);
  // The best so far is kept for smaller sizes. From a size between the last one and this one on, each starting point
  // makes one choice everywhere.
  const bool has_smaller = !is_first && out.size() > 1;
  Configuration best = has_smaller ? out[1].configuration : Configuration{};
  if (has_smaller) {
    carry_up(space_.index(), previous_n, best);
    if (best != out[1].configuration) add(best, "values of size " + std::to_string(previous_n));
  }
  const std::int64_t from = std::llround(
      std::sqrt(static_cast<double>(std::max<std::int64_t>(previous_n, 1)) * static_cast<double>(trials_.n())));
  for (const NamedConfiguration& seed : space_.seeds()) {
    if (!has_smaller || (schedule_.is_last() && options_.has_pure_starts)) add(seed.configuration, seed.name);
    if (!has_smaller) continue;
    Configuration grafted = graft(best, seed.configuration, from);
    grafted.tunables = best.tunables;
    (void)pbrt::repair_forbidden(space_.index(), grafted);  // a forbidden configuration becomes the nearest legal one
    add(std::move(grafted), seed.name + " from " + std::to_string(from));
  }
  return out;
}

/// Measures the default, the members of the last size and the starting points. Those that work become the population.
/// Once one on a device was far slower than the best, the others on devices wait until the rest was tried: where the
/// device is slow, they would take all the time.
void Search::seed_population(std::int64_t previous_n) {
  std::vector<Candidate> starts = starting_points(previous_n);
  std::deque<Candidate*> waiting, on_slow_device;
  for (Candidate& start : starts) waiting.push_back(&start);
  bool is_device_slow = false;
  for (; !waiting.empty() || !on_slow_device.empty(); waiting.pop_front()) {
    if (waiting.empty()) {
      waiting.swap(on_slow_device);
      is_device_slow = false;
    }
    Candidate& start = *waiting.front();
    const bool is_default = &start == &starts.front();
    const bool is_on_device = space_.uses_device(start.configuration);
    if (is_device_slow && is_on_device) {
      on_slow_device.push_back(&start);
      continue;
    }
    if (!is_new(start.configuration)) continue;
    if (!is_default && trials_.is_hopeless(start.configuration)) continue;
    const bool is_late = trials_.elapsed_s() > schedule_.deadline_s() && population_.members().size() > 1;
    if (is_late) break;
    publish("trying " + start.origin);
    const bool is_close = try_start(start, is_default);
    if (is_on_device && !is_default) is_device_slow = !is_close;
  }
  population_.prune();
}

/// Measures a starting point; it becomes a member if it is not far slower than the best, or if it is the default.
/// Returns whether it is not far slower.
bool Search::try_start(Candidate& start, bool is_default) {
  const double limit = start_limit_ms();
  if (!trials_.measure(start, 1, limit)) return false;
  // The first run may include the cost of new memory. So it only decides whether further runs are worth their time.
  if (population_.has_accurate() && minimum(start.times_ns) < kSlowestSeed * kColdFactor * population_.best_ns()) {
    start.times_ns.clear();
    if (!trials_.measure(start, std::max(1, options_.min_trials - 1), limit)) return false;
  }
  const bool is_close = !population_.has_accurate() || minimum(start.times_ns) < kSlowestSeed * population_.best_ns();
  if (is_close) trials_.confirm(start);
  if (is_default && start.meets_accuracy) default_ = start;
  if (is_close || is_default) population_.add(std::move(start));
  population_.sort();
  return is_close;
}

/// The limit of a trial of a starting point. It is wide, because the first run of a configuration may be slow. Without
/// a time to compare with, the starting point may take some times as long as the reference did, even if no time is
/// left: else nothing would be found.
double Search::start_limit_ms() const {
  if (population_.has_accurate()) return limit_ms(population_.best_ns(), kSlowestSeed * kColdFactor);
  const double generous = schedule_.generous_limit_ms(trials_.elapsed_s());
  return reference_ns_ > 0 ? std::max(generous, limit_ms(reference_ns_, kSlowestSeed)) : generous;
}

bool Search::is_new(const Configuration& configuration) {
  return tried_.insert(fingerprint(space_.index(), configuration)).second;
}

Candidate Search::make_child(const Candidate& parent, Configuration configuration, std::string origin) {
  Candidate out;
  out.configuration = std::move(configuration);
  out.origin = std::move(origin);
  out.id = next_id_++;
  out.parent = parent.id;
  return out;
}

/// Makes and tests one child; true if it was kept.
bool Search::evolve_once() {
  if (population_.is_empty()) return false;
  const auto claim = [&](const Configuration& configuration) {
    return !trials_.is_hopeless(configuration) && is_new(configuration);
  };
  std::optional<Proposal> proposal = strategy_->propose(population_, trials_.n(), claim);
  if (!proposal) return false;
  Candidate& parent = population_.member(proposal->parent);
  Candidate child = make_child(parent, std::move(proposal->configuration), std::move(proposal->origin));
  if (!selection_.keeps(child, parent) && !PB_FAULT(weak_child_is_kept)) return false;
  events_.on_kept(child, parent);
  population_.add(std::move(child));
  population_.prune();
  return true;
}

void Search::sweep_usual_values() {
  constexpr double kMostShare = 0.2;  // share of the time that is left
  const double begin_s = trials_.elapsed_s();
  const double end_s = begin_s + kMostShare * std::max(0.0, schedule_.deadline_s() - begin_s);
  const std::vector<Candidate> members = population_.members();
  std::vector<std::vector<RanChoice>> swept;
  for (const Candidate& member : members) {
    if (std::find(swept.begin(), swept.end(), member.ran) != swept.end()) continue;
    swept.push_back(member.ran);
    const auto is_device = [&](const RanChoice& ran) {
      return pbrt::is_device(space_.index().site(ran.site).site->choice(ran.alternative).on);
    };
    if (member.meets_accuracy && std::any_of(member.ran.begin(), member.ran.end(), is_device))
      sweep_from(member, end_s);
  }
  population_.prune();
}

void Search::sweep_from(Candidate parent, double end_s) {
  for (const TunableGene& gene : space_.tunables()) {
    if (!space_.is_tunable_relevant(gene.id, parent.ran)) continue;
    for (const std::vector<double>& values : space_.usual_values(gene)) {
      if (trials_.elapsed_s() > end_s) return;
      Configuration configuration = parent.configuration;
      configuration.tunables[static_cast<std::size_t>(gene.id)] = values;
      if (!is_new(configuration)) continue;
      Candidate child =
          make_child(parent, std::move(configuration), "usual value of " + space_.index().tunable_name(gene.id));
      publish("trying usual work-groups and shares");
      if (!selection_.keeps(child, parent)) continue;
      events_.on_kept(child, parent);
      population_.add(child);
      parent = std::move(child);
    }
  }
}

void Search::decide() {
  Finals({space_, options_, schedule_, population_, default_, extra_seeds_, trials_,
          [this](const std::string& phase) { publish(phase); }},
         result_)
      .decide();
}

/// Notes the configuration to write if the search ended now: the best, unless the times known so far speak against it.
void Search::note_best() {
  if (population_.is_empty()) return;
  population_.sort();
  const Candidate& best = population_.best();
  result_ = make_result(best, trials_.n(), population_.best_ns(), default_time_ns(default_));
  const bool is_default = best.configuration == space_.default_configuration();
  if (default_.times_ns.empty() || !best.meets_accuracy) return;
  if (!is_default && seems_faster(best.times_ns, default_.times_ns)) return;
  result_ = make_result(default_, trials_.n(), default_time_ns(default_), default_time_ns(default_));
  result_.kept = Kept::Default;
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
