// SPDX-License-Identifier: MIT
#include "autotuner/search/search.h"

#include <algorithm>
#include <cmath>

#include "base/seeded_fault.h"
#include "runtime/config/check.h"
#include "runtime/config/errors.h"

namespace pbtune {
namespace {

constexpr double kFinalShare = 0.15;  // of the budget, for comparing the best
constexpr double kTargetShare = 0.7;  // of what is left, for the target size; the smaller ones share the rest
constexpr double kConfidence = 0.95;
constexpr double kSlowestSeed = 4.0;  // starting points and old members slower than this are cut off
constexpr double kColdFactor = 3.0;   // as much slower the first run of a configuration may be: it touches new memory
constexpr double kSlowestChild = 1.8;
constexpr double kClearly = 1.1;      // by medians, where hiccups forbid a proof
constexpr double kLeastLimitMs = 5.0;  // a limit below this would cut off noise
constexpr int kMaxMutations = 40;      // attempts to make a child that is new
constexpr std::int64_t kLeastRecursive = 4;  // what is chosen at small sizes is part of every larger one
constexpr double kSmallShare = 0.03;         // of the budget, for each size that only recursion makes worth a look

/// Whether `a` seems faster, by times that were not taken in turns, for a result that is not the last word.
bool seems_faster(const Sample& a, const Sample& b) {
  constexpr double kOneTrialFactor = 1.25, kMatters = 0.015;
  if (a.size() == 1 || b.size() == 1) return median(a) * kOneTrialFactor < median(b);
  return compare(a, b, kMatters, kConfidence) == Verdict::Faster;
}

/// The size below which times say little about the target.
std::int64_t least_size(std::int64_t target) { return std::max<std::int64_t>(64, target / 64); }

}  // namespace

bool ranks_before(const Candidate& a, const Candidate& b) {
  if (a.meets_accuracy != b.meets_accuracy) return a.meets_accuracy;
  if (!a.meets_accuracy && a.accuracy != b.accuracy) return a.accuracy > b.accuracy;
  return median(a.times_ns) < median(b.times_ns);
}

std::vector<std::int64_t> growing_sizes(std::int64_t target, int factor, bool is_recursive) {
  const std::int64_t least = is_recursive ? kLeastRecursive : least_size(target);
  std::vector<std::int64_t> sizes{target};
  while (sizes.back() / factor >= least) sizes.push_back(sizes.back() / factor);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

Search::Search(const Space& space, SearchOptions options, Evaluator evaluator, SearchEvents events,
               std::vector<NamedConfiguration> extra_seeds)
    : space_(space),
      options_(std::move(options)),
      evaluator_(std::move(evaluator)),
      events_(std::move(events)),
      extra_seeds_(std::move(extra_seeds)),
      mutators_(make_mutators(space)),
      rng_(options_.seed) {
  PBRT_CHECK(!options_.sizes.empty(), "there is a size to tune for");
}

SearchResult Search::run() {
  const std::size_t num_sizes = options_.sizes.size();
  for (std::size_t i = 0; i < num_sizes; ++i) {
    if (!will_fit(i)) {
      events_.on_note("size " + std::to_string(options_.sizes[i]) +
                      " does not fit into the time limit: stopped at size " + std::to_string(n_));
      break;
    }
    const double left = options_.budget_s * (1 - kFinalShare) - evaluator_.elapsed_s();
    deadline_s_ = evaluator_.elapsed_s() + std::max(0.0, left * share_of(i));
    size_index_ = i;
    if (!tune_size(i)) continue;
    note_best();
  }
  if (population_.empty()) throw pbrt::UserError("no configuration of the program runs at any of the sizes tried");
  decide();
  result_.is_complete = n_ == options_.sizes.back();
  return result_;
}

/// The part of the time that is left which a size may take.
double Search::share_of(std::size_t size_index) const {
  const std::size_t num_larger = options_.sizes.size() - size_index - 1;
  if (num_larger == 0) return 1;
  if (is_small(size_index)) return kSmallShare;
  return (1 - kTargetShare) / static_cast<double>(std::min<std::size_t>(num_larger, 3));
}

bool Search::is_small(std::size_t size_index) const {
  return options_.sizes[size_index] < least_size(options_.sizes.back()) && size_index + 1 < options_.sizes.size();
}

/// Whether a size fits into the time: predicts the reference, the default and a few trials from the growth seen so far.
bool Search::will_fit(std::size_t size_index) const {
  if (population_.empty() || growth_ <= 0) return true;
  const double doublings = std::log2(static_cast<double>(options_.sizes[size_index]) / static_cast<double>(n_));
  const double next_ns = best_ns() * std::exp2(growth_ * doublings);
  constexpr double kLeastTrials = 6;
  return next_ns * 1e-9 * kLeastTrials < options_.budget_s - evaluator_.elapsed_s();
}

/// Tunes one size; false if there are no inputs of that size.
bool Search::tune_size(std::size_t size_index) {
  const std::int64_t n = options_.sizes[size_index];
  const Prepared prepared = evaluator_.prepare(n, population_.empty() ? nullptr : &population_[0].configuration);
  if (prepared.status == PrepareStatus::Skipped) {
    if (size_index + 1 == options_.sizes.size())
      throw pbrt::UserError("the program has no inputs of size " + std::to_string(n) + ": " + prepared.message);
    return false;
  }
  if (prepared.status == PrepareStatus::Failed && prepared.reference_ns >= 0 && size_index + 1 < options_.sizes.size()) {
    events_.on_note("size " + std::to_string(n) + " is skipped: " + prepared.message);
    return false;
  }
  if (prepared.status == PrepareStatus::Failed)
    throw pbrt::UserError("size " + std::to_string(n) + ": " + prepared.message);
  const bool is_first = population_.empty();
  previous_n_ = n_;
  n_ = n;
  if (!is_first) previous_best_ns_ = best_ns();
  tried_.clear();
  default_ns_ = 0;
  default_ = Candidate{};
  overhead_s_ = num_runs_ = 0;
  seed_population(is_first);
  if (!is_first && !population_.empty() && previous_best_ns_ > 0)
    growth_ = std::max(0.5, std::log2(best_ns() / previous_best_ns_) /
                                std::log2(static_cast<double>(n_) / static_cast<double>(previous_n_)));
  const bool is_last = size_index + 1 == options_.sizes.size();
  if (is_last) sweep_usual_values();
  const double end_s = is_last ? std::min(deadline_s_, options_.budget_s - final_reserve_s()) : deadline_s_;
  const double begin_s = evaluator_.elapsed_s();
  for (int failures = 0; evaluator_.elapsed_s() < end_s && !is_exhausted(failures, is_last, begin_s, end_s);) {
    publish("evolving");
    failures = evolve_once() ? 0 : failures + 1;
    note_best();
  }
  return true;
}

/// Whether so many children in a row that brought nothing are enough. At the target more of them are tried where they
/// cost little of the time.
bool Search::is_exhausted(int failures, bool is_last, double begin_s, double end_s) const {
  constexpr double kLittle = 0.25;
  constexpr int kTargetFactor = 2, kCheapFactor = 10;
  if (!is_last) return failures >= options_.max_failures;
  const bool is_cheap = evaluator_.elapsed_s() - begin_s < kLittle * (end_s - begin_s);
  return failures >= kTargetFactor * options_.max_failures * (is_cheap ? kCheapFactor : 1);
}

std::vector<Candidate> Search::starting_points(bool is_first) {
  std::vector<Candidate> out;
  const auto add = [&](Configuration configuration, const std::string& origin) {
    Candidate candidate;
    candidate.configuration = std::move(configuration);
    candidate.origin = origin;
    candidate.id = next_id_++;
    out.push_back(std::move(candidate));
  };
  add(space_.default_configuration(), "the default");
  for (Candidate& member : population_) {
    member.times_ns.clear();
    member.is_confirmed = member.is_refuted = false;
    if (member.configuration != out[0].configuration) out.push_back(std::move(member));
  }
  if (is_first)
    for (const NamedConfiguration& seed : extra_seeds_) add(seed.configuration, seed.name);
  // The best so far stays for the smaller sizes; from between the last size and this one on there is one choice everywhere.
  const bool has_smaller = !is_first && out.size() > 1;
  Configuration best = has_smaller ? out[1].configuration : Configuration{};
  if (has_smaller) {
    carry_up(space_.index(), previous_n_, best);
    if (best != out[1].configuration) add(best, "values of size " + std::to_string(previous_n_));
  }
  const std::int64_t from =
      std::llround(std::sqrt(static_cast<double>(std::max<std::int64_t>(previous_n_, 1)) * static_cast<double>(n_)));
  const bool is_last = size_index_ + 1 == options_.sizes.size();
  for (const NamedConfiguration& seed : space_.seeds()) {
    if (!has_smaller || (is_last && options_.has_pure_starts)) add(seed.configuration, seed.name);
    if (!has_smaller) continue;
    Configuration grafted = graft(best, seed.configuration, from);
    grafted.tunables = best.tunables;
    (void)pbrt::repair_forbidden(space_.index(), grafted);  // a forbidden one becomes the nearest legal one
    add(std::move(grafted), seed.name + " from " + std::to_string(from));
  }
  population_.clear();
  return out;
}

/// Measures the default, the members of the last size and the starting points; what works is the population.
void Search::seed_population(bool is_first) {
  std::vector<Candidate> starts = starting_points(is_first);
  for (Candidate& start : starts) {
    publish("trying " + start.origin);
    const bool is_default = &start == &starts.front();
    if (!tried_.insert(fingerprint(space_.index(), start.configuration)).second) continue;
    if (!is_default && is_hopeless(start.configuration)) continue;
    const bool is_late = evaluator_.elapsed_s() > deadline_s_ && population_.size() > 1;
    if (is_late) break;
    const double limit = start_limit_ms();
    if (!measure(start, 1, limit)) continue;
    // The first run of a configuration may have paid for new memory, so it only says whether others are worth their time.
    if (has_accurate() && minimum(start.times_ns) < kSlowestSeed * kColdFactor * best_ns()) {
      start.times_ns.clear();
      if (!measure(start, std::max(1, options_.min_trials - 1), limit)) continue;
    }
    const bool is_close = !has_accurate() || minimum(start.times_ns) < kSlowestSeed * best_ns();
    if (is_close) confirm(start);
    if (is_default && start.meets_accuracy) {
      default_ns_ = median(start.times_ns);
      default_ = start;
    }
    if (is_close || is_default) population_.push_back(std::move(start));
    std::stable_sort(population_.begin(), population_.end(), ranks_before);
  }
  if (static_cast<int>(population_.size()) > options_.max_population) sort_and_prune();
}

/// Notes the choices of runs that crashed or hung, which cost a restart and a wait. Choices that were in several of them and in
/// no run that ended are left alone.
void Search::blame(const Configuration& configuration, const Outcome& outcome) {
  const bool is_hang = outcome.kind == OutcomeKind::TimedOut && outcome.times_ns.empty();
  const bool is_fatal = is_hang || outcome.kind == OutcomeKind::Crashed;
  for (const RanChoice& ran : outcome.ran) ++records_[{ran.site, ran.alternative}].num_good;
  if (!is_fatal) return;
  for (const SiteGene& gene : space_.sites()) {
    Record& record = records_[{gene.id, configuration.sites[static_cast<std::size_t>(gene.id)].select(n_)}];
    ++record.num_fatal;
  }
}

bool Search::is_hopeless(const Configuration& configuration) const {
  constexpr int kEnough = 2;
  return std::any_of(space_.sites().begin(), space_.sites().end(), [&](const SiteGene& gene) {
    const auto found = records_.find({gene.id, configuration.sites[static_cast<std::size_t>(gene.id)].select(n_)});
    return found != records_.end() && found->second.num_good == 0 && found->second.num_fatal >= kEnough;
  });
}

bool Search::measure(Candidate& candidate, int trials, double limit, bool is_side_by_side) {
  if (trials < 1) return true;
  RunSpec spec{trials, limit, candidate.origin, is_side_by_side};
  events_.on_trying(candidate.origin);
  const double begin_s = evaluator_.elapsed_s();
  const Outcome outcome = evaluator_.run(candidate.configuration, spec);
  ++num_measured_;
  double beside_s = evaluator_.elapsed_s() - begin_s;
  for (const double time : outcome.times_ns) beside_s -= time * 1e-9;
  overhead_s_ += (std::max(0.0, beside_s) - overhead_s_) / ++num_runs_;
  blame(candidate.configuration, outcome);
  const bool has_times = !outcome.times_ns.empty();
  const bool is_usable = outcome.kind == OutcomeKind::Ok || outcome.kind == OutcomeKind::AccuracyMissed ||
                         (outcome.kind == OutcomeKind::Wrong && PB_FAULT(wrong_may_win));
  if (!is_usable || !has_times) {
    const bool is_fast = outcome.kind == OutcomeKind::Wrong && has_times && !population_.empty() &&
                         minimum(outcome.times_ns) < best_ns();
    events_.on_failed(candidate, outcome, is_fast);
    return false;
  }
  const double accuracy = space_.options().accuracy.higher_is_better ? outcome.accuracy : -outcome.accuracy;
  const bool is_first = candidate.times_ns.empty();
  candidate.meets_accuracy =
      (is_first || candidate.meets_accuracy) && outcome.kind == OutcomeKind::Ok && !candidate.is_refuted;
  candidate.accuracy = is_first ? accuracy : std::min(candidate.accuracy, accuracy);
  candidate.times_ns.insert(candidate.times_ns.end(), outcome.times_ns.begin(), outcome.times_ns.end());
  if (!outcome.ran.empty()) candidate.ran = outcome.ran;
  return true;
}

std::size_t Search::tournament() {
  // The better of two members drawn becomes the parent, so that good members have more children and none has all.
  const std::int64_t last = static_cast<std::int64_t>(population_.size()) - 1;
  return static_cast<std::size_t>(std::min(rng_.uniform_int(0, last), rng_.uniform_int(0, last)));
}

/// Draws first what to change (a site, a value, all sites), then how: sites have five mutators and values one, but
/// that says nothing about which matters.
const Mutator* Search::draw_mutator(const std::vector<RanChoice>& ran) {
  std::vector<std::vector<const Mutator*>> groups;
  for (const Mutator& mutator : mutators_) {
    const bool is_dead_site = mutator.site >= 0 && !space_.is_site_relevant(mutator.site, ran);
    const bool is_dead_tunable = mutator.tunable >= 0 && !space_.is_tunable_relevant(mutator.tunable, ran);
    if (is_dead_site || is_dead_tunable) continue;
    const bool is_new =
        groups.empty() || groups.back()[0]->site != mutator.site || groups.back()[0]->tunable != mutator.tunable;
    if (is_new) groups.emplace_back();
    groups.back().push_back(&mutator);
  }
  if (groups.empty()) return nullptr;
  const auto draw = [&](std::size_t size) {
    return static_cast<std::size_t>(rng_.uniform_int(0, static_cast<std::int64_t>(size) - 1));
  };
  const std::vector<const Mutator*>& group = groups[draw(groups.size())];
  return group[draw(group.size())];
}

bool Search::make_child(const Candidate& parent, Candidate& child) {
  for (int i = 0; i < kMaxMutations; ++i) {
    const Mutator* mutator = draw_mutator(parent.ran);
    if (mutator == nullptr) return false;
    child.configuration = parent.configuration;
    if (!mutator->apply(child.configuration, rng_, n_)) continue;
    if (is_hopeless(child.configuration)) continue;
    if (!tried_.insert(fingerprint(space_.index(), child.configuration)).second) continue;
    child.origin = mutator->name;
    child.id = next_id_++;
    child.parent = parent.id;
    return true;
  }
  return false;
}

/// Makes and tests one child; true if it was kept.
bool Search::evolve_once() {
  if (population_.empty()) return false;
  Candidate& parent = population_[tournament()];
  Candidate child;
  if (!make_child(parent, child)) return false;
  if (!try_child(child, parent) && !PB_FAULT(weak_child_is_kept)) return false;
  events_.on_kept(child, parent);
  population_.push_back(std::move(child));
  sort_and_prune();
  return true;
}

void Search::sweep_usual_values() {
  constexpr double kMostShare = 0.2;  // of the time that is left
  const double begin_s = evaluator_.elapsed_s();
  const double end_s = begin_s + kMostShare * std::max(0.0, deadline_s_ - begin_s);
  const std::vector<Candidate> members = population_;
  std::vector<std::vector<RanChoice>> swept;
  for (Candidate parent : members) {
    if (std::find(swept.begin(), swept.end(), parent.ran) != swept.end()) continue;
    swept.push_back(parent.ran);
    const auto is_device = [&](const RanChoice& ran) {
      return pbrt::is_device(space_.index().site(ran.site).site->choice(ran.alternative).on);
    };
    if (!parent.meets_accuracy || std::none_of(parent.ran.begin(), parent.ran.end(), is_device)) continue;
    for (const TunableGene& gene : space_.tunables()) {
      if (!space_.is_tunable_relevant(gene.id, parent.ran)) continue;
      for (const std::vector<double>& values : space_.usual_values(gene)) {
        if (evaluator_.elapsed_s() > end_s) return sort_and_prune();
        Candidate child;
        child.configuration = parent.configuration;
        child.configuration.tunables[static_cast<std::size_t>(gene.id)] = values;
        if (!tried_.insert(fingerprint(space_.index(), child.configuration)).second) continue;
        child.origin = "usual value of " + space_.index().tunable_name(gene.id);
        child.id = next_id_++;
        child.parent = parent.id;
        publish("trying usual work-groups and shares");
        if (!try_child(child, parent)) continue;
        events_.on_kept(child, parent);
        population_.push_back(child);
        parent = std::move(child);
      }
    }
  }
  sort_and_prune();
}

bool Search::try_child(Candidate& child, Candidate& parent) {
  if (!measure(child, 1, child_limit_ms(parent))) return false;
  if (!is_kept(child, parent)) return false;
  const bool was_accurate = child.meets_accuracy;
  confirm(child);
  return child.meets_accuracy == was_accurate || (!parent.meets_accuracy && child.accuracy > parent.accuracy);
}

bool Search::is_kept(Candidate& child, Candidate& parent) {
  if (!child.meets_accuracy || !parent.meets_accuracy) {
    if (child.meets_accuracy != parent.meets_accuracy) return child.meets_accuracy;
    return child.accuracy > parent.accuracy;
  }
  if (minimum(child.times_ns) > median(parent.times_ns)) return false;
  return beats_side_by_side(child, parent);
}

void Search::confirm(Candidate& candidate) {
  const pbrt::AccuracyInfo& target = space_.options().accuracy;
  if (!target.has_target || !candidate.meets_accuracy || candidate.is_confirmed) return;
  candidate.is_confirmed = true;
  RunSpec spec{1, 0, candidate.origin + ", on other inputs", false, true};
  spec.limit_ms = 2 * limit_ms(median(candidate.times_ns), kSlowestSeed);
  const Outcome outcome = evaluator_.run(candidate.configuration, spec);
  if (outcome.kind == OutcomeKind::Ok) return;
  candidate.is_refuted = true;
  candidate.meets_accuracy = false;
  if (outcome.kind == OutcomeKind::AccuracyMissed)
    candidate.accuracy =
        std::min(candidate.accuracy, target.higher_is_better ? outcome.accuracy : -outcome.accuracy);
}

/// Alternates fresh trials of both until they are told apart, are surely the same, or the trials are used up.
/// Earlier times do not count: the machine may have been in another mood for the parent's, and the child is
/// here because its first one was good.
bool Search::beats_side_by_side(Candidate& child, Candidate& parent) {
  Candidate fresh = parent;
  fresh.times_ns.clear();
  child.times_ns.clear();
  const double limit = limit_ms(median(parent.times_ns), 2 * kSlowestChild);
  for (int trial = 0; trial < options_.max_trials; ++trial) {
    if (!measure(fresh, 1, limit, true)) return false;
    if (!measure(child, 1, limit, true) || !child.meets_accuracy) return false;
    parent.meets_accuracy = parent.meets_accuracy && fresh.meets_accuracy;
    if (!parent.meets_accuracy) return true;
    if (trial + 1 < options_.min_trials) continue;
    const Verdict verdict = compare(child.times_ns, fresh.times_ns, options_.matters, kConfidence);
    const bool is_decided = verdict != Verdict::Undecided;
    if (is_decided || trial + 1 == options_.max_trials) {
      parent.times_ns = fresh.times_ns;
      // Single hiccups of the machine leave the test undecided and the medians alone. So medians decide here; the last word is
      // said elsewhere.
      const bool is_clear = verdict == Verdict::Undecided && median(child.times_ns) * kClearly < median(fresh.times_ns);
      return verdict == Verdict::Faster || is_clear;
    }
  }
  return false;
}

void Search::sort_and_prune() {
  std::stable_sort(population_.begin(), population_.end(), ranks_before);
  if (static_cast<int>(population_.size()) > options_.max_population)
    population_.erase(population_.begin() + options_.max_population, population_.end());
}

double Search::best_ns() const { return population_.empty() ? 0 : median(population_[0].times_ns); }

double Search::limit_ms(double base_ns, double factor) const {
  return std::max(kLeastLimitMs, factor * base_ns * 1e-6 + 1);
}

/// The limit for runs that nothing else would tell from a hang.
double Search::generous_limit_ms() const {
  return 0.3 * std::max(1.0, deadline_s_ - evaluator_.elapsed_s()) * 1e3;
}

/// The limit for starting points: the first run may be cold, and nothing of its kind has run before.
double Search::start_limit_ms() const {
  return has_accurate() ? limit_ms(best_ns(), kSlowestSeed * kColdFactor) : generous_limit_ms();
}

/// The limit for a child of `parent`. A parent that misses the target says nothing about how long its child may take: then the
/// best one does.
double Search::child_limit_ms(const Candidate& parent) const {
  if (parent.meets_accuracy) return limit_ms(median(parent.times_ns), kSlowestChild);
  return has_accurate() ? limit_ms(best_ns(), kSlowestSeed) : generous_limit_ms();
}

/// Notes what would be written if the search ended now: the best, unless the times at hand do not speak for it.
void Search::note_best() {
  if (population_.empty()) return;
  std::stable_sort(population_.begin(), population_.end(), ranks_before);
  const Candidate& best = population_[0];
  result_ = result_of(best, best_ns(), default_ns_);
  const bool is_default = best.configuration == space_.default_configuration();
  if (default_.times_ns.empty() || !best.meets_accuracy) return;
  if (!is_default && seems_faster(best.times_ns, default_.times_ns)) return;
  result_ = result_of(default_, default_ns_, default_ns_);
  result_.kept = Kept::Default;
}

void Search::publish(const std::string& phase) {
  SearchState state;
  state.n = n_;
  state.size_index = static_cast<int>(size_index_);
  state.num_sizes = static_cast<int>(options_.sizes.size());
  state.phase = phase;
  state.best_ns = best_ns();
  state.default_ns = default_ns_;
  state.elapsed_s = evaluator_.elapsed_s();
  state.budget_s = options_.budget_s;
  state.num_measured = num_measured_;
  events_.on_state(state);
}

}  // namespace pbtune

// Note [Deviations from the paper]
// 1. The paper starts from one configuration; on a machine with a slow default and a minute of time that is too far
// from
//    where it pays to look, so every uniform choice is a starting point, at each size with the best of the smaller ones
//    below it.
// 2. A mutator is drawn only if what it changes took part in the parent's run: the rest cannot matter at this size.
// 3. Parent and child are timed in turns, because a shared machine drifts; old times of the parent never decide.
