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
      site_sweep_(space),
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
  population_.prune();
  sweep_sites(previous_n > 0 ? size_between(previous_n, trials_.n()) : 0);
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

/// Whether a run that takes so long leaves time for few others.
bool Search::is_long(double run_ns) const {
  constexpr double kMostOfTime = 0.01;
  return run_ns * 1e-9 > kMostOfTime * left_s();
}

/// Where runs are long, single sites are not swept. So the best gets the choices that were nearly as good at the size
/// before, ahead of uniform ones.
void Search::add_site_choices(const Candidate& best, std::int64_t previous_n, std::vector<StartingPoint>& starts) {
  Configuration carried = best.configuration;
  space_.carry_up(previous_n, carried);
  std::vector<StartingPoint> added;
  for (const RanChoice& choice : site_sweep_.promising(carried, trials_.n())) {
    StartingPoint start;
    start.candidate.configuration = site_sweep_.with(carried, choice, size_between(previous_n, trials_.n()));
    start.candidate.origin = "another choice of " + space_.index().site_name(choice.site);
    start.candidate.id = -1;
    added.push_back(std::move(start));
  }
  const auto first_uniform =
      std::find_if(starts.begin(), starts.end(), [](const StartingPoint& start) { return start.seed >= 0; });
  starts.insert(first_uniform, std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

std::vector<StartingPoint> Search::starting_points(std::int64_t previous_n) {
  const double best_ns = population_.best_ns();
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
  if (is_long(growth * best_ns)) add_site_choices(best, previous_n, out);
  for (StartingPoint& start : out)
    if (start.candidate.id < 0) start.candidate.id = next_id_++;
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
  if (!is_new(start.candidate.configuration)) return true;
  if (start.seed < 0) return false;
  return trials_.is_hopeless(start.candidate.configuration) ||
         !is_worth_a_run(starting_points_.factor(start), population_.best_ns() * 1e-9, left_s());
}

/// The time that is left at this size.
double Search::left_s() const { return std::max(0.0, schedule_.deadline_s() - trials_.elapsed_s()); }

/// Measures a starting point; it becomes a member if it is not far slower than the best, or if it is the default.
/// Returns whether it is not far slower.
bool Search::try_start(StartingPoint& start, bool is_default) {
  Candidate& candidate = start.candidate;
  const double limit = start_limit_ms();
  const bool has_run = trials_.measure(candidate, 1, limit);
  starting_points_.note(start, trials_.factor_of_last(population_.best_ns()));
  if (!has_run) return false;
  if (is_first_of_kind(candidate, is_default)) {
    Candidate lowered = lower_accuracy(candidate);
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
    const double most = std::max(kSlowestCostly * population_.best_ns(), kMostOfTime * left_s() * 1e9);
    return std::min(limit_ms(population_.best_ns(), kSlowestSeed * kColdFactor), limit_ms(most, 1));
  }
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

/// Only accuracy decides, one run each. If the last one misses the target on other inputs, the one before is taken. Its
/// time does not matter: smaller values cost less, at larger sizes more surely than here.
Candidate Search::lower_accuracy(Candidate parent) {
  constexpr double kMostShare = 0.3;  // share of the time that is left
  const double end_s = trials_.elapsed_s() + kMostShare * left_s();
  const double limit = limit_ms(median(parent.times_ns), kSlowestSeed);
  std::vector<Candidate> lowered;
  const auto try_less = [&](const TunableGene& gene, double factor) {
    const Candidate& last = lowered.empty() ? parent : lowered.back();
    std::optional<Configuration> configuration = space_.less_accurate(last.configuration, gene, trials_.n(), factor);
    if (trials_.elapsed_s() > end_s || !configuration || !is_new(*configuration)) return false;
    Candidate child =
        make_child(parent, std::move(*configuration), "a smaller " + space_.index().tunable_name(gene.id));
    publish("trying smaller accuracy values");
    if (!trials_.measure(child, 1, limit) || !child.meets_accuracy) return false;
    lowered.push_back(std::move(child));
    return true;
  };
  for (const TunableGene& gene : space_.tunables()) {
    if (!space_.is_tunable_relevant(gene.id, parent.ran)) continue;
    constexpr double kToTheLeast = 0;  // many values do not matter
    if (try_less(gene, kToTheLeast)) continue;
    for (const double factor : {0.5, 0.7, 0.85, 0.95})
      while (try_less(gene, factor)) continue;
  }
  for (; !lowered.empty(); lowered.pop_back()) {
    Candidate& child = lowered.back();
    trials_.confirm(child);
    if (!child.meets_accuracy) continue;
    events_.on_kept(child, parent);
    return std::move(child);
  }
  return parent;
}

void Search::sweep_sites(std::int64_t from) {
  constexpr double kMostShare = 0.4;  // share of the time that is left
  constexpr double kNear = 1.5;       // slower ones are not swept
  constexpr std::size_t kMostKinds = 3;
  if (!population_.has_accurate() || is_long(population_.best_ns())) return;
  std::vector<Candidate> leaders;
  std::vector<std::vector<int>> kinds;
  for (const Candidate& member : population_.members()) {
    std::vector<int> kind = space_.main_choices(member.configuration, trials_.n());
    const bool is_near = member.meets_accuracy && rank_time_ns(member) < kNear * rank_time_ns(population_.best());
    if (!is_near || leaders.size() == kMostKinds || std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
      continue;
    kinds.push_back(std::move(kind));
    leaders.push_back(member);
  }
  const double begin_s = trials_.elapsed_s(), all_s = kMostShare * left_s();
  for (std::size_t i = 0; i < leaders.size(); ++i)
    sweep_sites_of(std::move(leaders[i]), from,
                   begin_s + all_s * static_cast<double>(i + 1) / static_cast<double>(leaders.size()));
  population_.prune();
}

void Search::sweep_sites_of(Candidate parent, std::int64_t from, double end_s) {
  const bool is_best = parent.id == population_.best().id;
  for (const RanChoice& choice : site_sweep_.others(parent.configuration, parent.ran, trials_.n())) {
    if (trials_.elapsed_s() > end_s) break;
    Configuration configuration = site_sweep_.with(parent.configuration, choice, from);
    const double parent_ns = median(parent.times_ns);
    const bool is_tried = !trials_.is_hopeless(configuration) &&
                          is_worth_a_run(site_sweep_.factor(choice), parent_ns * 1e-9, end_s - trials_.elapsed_s()) &&
                          is_new(configuration);
    if (!is_tried) continue;
    Candidate child =
        make_child(parent, std::move(configuration), "another choice of " + space_.index().site_name(choice.site));
    publish("trying other choices of single sites");
    const bool is_kept = selection_.keeps(child, parent);
    if (is_best) site_sweep_.note(choice, trials_.factor_of_last(parent_ns));
    if (!is_kept) continue;
    events_.on_kept(child, parent);
    population_.add(child);
    parent = std::move(child);
  }
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
