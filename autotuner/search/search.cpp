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
#include "autotuner/search/first_look.h"
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

std::string words_about_left_out(std::int64_t n, const std::string& why) {
  return "size " + std::to_string(n) + " is left out: " + why + ";\n  give it more time (--time-limit) to reach it";
}

}  // namespace

Search::Search(const Space& space, SearchOptions options, Evaluator evaluator, SearchEvents events,
               std::vector<NamedConfiguration> extra_seeds, std::unique_ptr<Strategy> strategy)
    : space_(space),
      options_(std::move(options)),
      events_(std::move(events)),
      extra_seeds_(std::move(extra_seeds)),
      starting_points_(space, extra_seeds_),
      population_(options_.max_population),
      schedule_(options_, space.large_pages().has_value()),
      trials_(space, std::move(evaluator), events_, population_),
      selection_(options_, schedule_, population_, trials_),
      attempts_(space.index()),
      proposals_(strategy ? std::move(strategy) : std::make_unique<Evolution>(space, options_.seed),
                 space.options().has_device, population_, trials_, attempts_),
      sweeps_({space_, schedule_, population_, trials_, selection_, attempts_, events_,
               [this](const std::string& phase) { publish(phase); }}) {
  PBRT_CHECK(!options_.sizes.empty(), "there is a size to tune for");
}

SearchResult Search::run() {
  if (look_at_target())
    tune_here(starting_points(0), {});
  else
    climb();
  if (population_.is_empty() && !seen_)
    throw pbrt::UserError("no configuration of the program runs at any of the sizes tried");
  if (come_back()) {
    trials_.expect({});
    Finals(finals_context(), result_).decide();
  }
  result_.device_attempts = trials_.device_attempts().lost(result_.n, result_.ran);
  result_.is_complete = is_ready_ && is_at_target();
  return result_;
}

/// Measures at the target what runs on a device wherever it can and agrees with the default at a small size, beside the
/// default itself. Returns whether the search goes on there, because making the inputs again would take much of the
/// time.
bool Search::look_at_target() {
  constexpr double kMostShare = 0.1;  // of the time left, for making the inputs again
  if (options_.sizes.size() < 2 || space_.options().accuracy.has_target) return false;
  const auto on_phase = [this](const char* phase) { publish(phase); };
  const std::vector<Candidate> found = find_agreeing_on_device(
      {space_, options_, schedule_, trials_, [this](std::int64_t n) { return prepare(n); }, on_phase});
  if (found.empty()) return false;
  references_.trust(found[0].configuration);
  schedule_.begin_size(options_.sizes.size() - 1, trials_.elapsed_s());
  const Prepared prepared = prepare(options_.sizes.back());
  if (prepared.status == PrepareStatus::TooSlow)
    events_.on_note(words_about_left_out(options_.sizes.back(), prepared.message));
  if (prepared.status != PrepareStatus::Ready) return false;
  attempts_.begin_size();
  std::vector<StartingPoint> starts = starting_points_.first_of(found);
  // Where the default makes the reference, it is fast enough to go first.
  if (prepared.maker == ReferenceMaker::Trusted) std::rotate(starts.begin(), starts.begin() + 1, starts.end());
  for (StartingPoint& start : starts) start.candidate.id = attempts_.next_id();
  seed_population(std::move(starts));
  if (population_.is_empty()) return false;
  references_.keep_trusted();
  note_best();
  seen_ = Seen{population_.members(), default_, prepare_again_s_};
  if (prepare_again_s_ > kMostShare * schedule_.left_s(trials_.elapsed_s())) return true;
  (void)population_.take_all();  // the small sizes have their own
  return false;
}

/// Goes through the sizes, from the smallest to the target.
void Search::climb() {
  for (std::size_t i = 0; i < options_.sizes.size() && !references_.is_hopeless(options_.sizes[i]); ++i) {
    const double now_s = trials_.elapsed_s();
    const bool is_seen = seen_ && i + 1 == options_.sizes.size();
    const double best_s = trials_.work_s(population_.best_ns());
    const bool is_fit =
        is_seen ? schedule_.will_fit_again(seen_->prepare_s, trials_.work_s(median(seen_->members[0].times_ns)), now_s)
                : schedule_.will_fit(i, trials_.n(), best_s, now_s);
    if (!is_fit && seen_) continue;  // the target may fit, because what ran there is far better
    if (!is_fit) {
      events_.on_note("size " + std::to_string(options_.sizes[i]) +
                      " does not fit into the time limit: stopped at size " + std::to_string(trials_.n()));
      break;
    }
    schedule_.begin_size(i, now_s);
    if (tune_size(i) == PrepareStatus::Ready) note_best();
  }
}

/// Makes sure that inputs and population are those of the largest size that was measured. Returns whether they are.
bool Search::come_back() {
  if (!seen_ || is_at_target()) return is_ready_ || prepare(trials_.n()).status == PrepareStatus::Ready;
  if (!schedule_.will_fit_again(seen_->prepare_s, 0, trials_.elapsed_s())) return false;
  schedule_.begin_size(options_.sizes.size() - 1, trials_.elapsed_s());
  if (prepare(options_.sizes.back()).status != PrepareStatus::Ready) return false;
  (void)population_.take_all();  // of a smaller size
  for (const Candidate& member : seen_->members) population_.add(member);
  population_.sort();
  default_ = seen_->standard;
  return true;
}

Prepared Search::prepare(std::int64_t n) {
  constexpr double kLeastS = 5;  // else nothing might be found
  const double left_s = options_.budget_s - trials_.elapsed_s();
  const PrepareSpec spec = references_.spec(n, std::max(has_result() ? 0 : kLeastS, left_s));
  const double default_s = spec.default_patience_s;
  Prepared prepared = trials_.begin_size(spec);
  references_.note(n, prepared);
  is_ready_ = prepared.status == PrepareStatus::Ready;
  if (!is_ready_) return prepared;
  reference_ns_ = prepared.reference_ns;
  // The default, if it was too slow, is not asked a second time.
  const bool is_in_vain = prepared.maker == ReferenceMaker::Trusted;
  prepare_again_s_ = std::max(0.0, trials_.prepare_s() - (is_in_vain ? default_s : 0));
  if (const std::string words = references_.words(); !words.empty()) events_.on_note(words);
  return prepared;
}

/// Tunes one size, if there are inputs of that size. They or their reference may take too long: then the search goes on
/// with what it has.
PrepareStatus Search::tune_size(std::size_t size_index) {
  Before before;
  if (!population_.is_empty()) before = {trials_.n(), population_.best_ns()};
  work_before_s_ = trials_.work_s(population_.best_ns());
  const std::int64_t n = options_.sizes[size_index];
  const std::string size = "size " + std::to_string(n);
  if (!population_.is_empty()) references_.trust(population_.best().configuration);
  const Prepared prepared = prepare(n);
  switch (prepared.status) {
    case PrepareStatus::Ready:
      attempts_.begin_size();
      default_ = Candidate{};
      tune_here(starting_points(before.n), before);
      break;
    case PrepareStatus::Skipped:
      if (schedule_.is_last()) throw pbrt::UserError("the program has no inputs of " + size + ": " + prepared.message);
      break;
    case PrepareStatus::Failed:
      if (schedule_.is_last()) throw pbrt::UserError(size + ": " + prepared.message);
      events_.on_note(size + " is skipped: " + prepared.message);
      break;
    case PrepareStatus::TooSlow:
      if (!has_result())
        throw pbrt::UserError(size + ": " + prepared.message +
                              "\n  hint: give it more time (--time-limit), or tune for a smaller size (--n)");
      events_.on_note(words_about_left_out(n, prepared.message));
      break;
  }
  return prepared.status;
}

void Search::tune_here(std::vector<StartingPoint> starts, const Before& before) {
  seed_population(std::move(starts));
  if (!population_.is_empty() && before.best_ns > 0)
    schedule_.note_growth(before.n, before.best_ns, trials_.n(), population_.best_ns());
  population_.prune();
  sweeps_.try_sites(before.n > 0 ? size_between(before.n, trials_.n()) : 0);
  if (schedule_.is_last()) sweeps_.try_usual_values();
  const double end_s = schedule_.end_s(
      {trials_.work_s(population_.best_ns()), trials_.work_s(default_time_ns(default_)), trials_.overhead_s()});
  const double begin_s = trials_.elapsed_s();
  schedule_.end_size_at(end_s);
  proposals_.begin_size();
  selection_.rank_anew();
  for (int failures = 0, num_kept = 0;
       trials_.elapsed_s() < end_s && !schedule_.is_exhausted(failures, trials_.elapsed_s(), begin_s, end_s);) {
    constexpr int kKeptPerRanking = 12;
    publish("evolving");
    const bool is_kept = evolve_once();
    failures = is_kept ? 0 : failures + 1;
    if (is_kept && ++num_kept % kKeptPerRanking == 0) selection_.rank_anew();
    note_best();
  }
}

/// What to measure at the current size after size `previous_n`, whose members take part; 0: there was none, and those
/// of the population stay there.
std::vector<StartingPoint> Search::starting_points(std::int64_t previous_n) {
  const double best_s = work_before_s_;
  has_members_ = previous_n > 0;
  std::vector<Candidate> members;
  if (has_members_) members = population_.take_all();
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
  if (seen_ && is_at_target()) {
    std::vector<StartingPoint> seen = starting_points_.first_of(seen_->members);
    out.insert(out.begin() + 1, std::make_move_iterator(seen.begin()), std::make_move_iterator(seen.end()));
  }
  for (StartingPoint& start : out)
    if (start.candidate.id < 0) start.candidate.id = attempts_.next_id();
  return out;
}

/// Measures the starting points. Those that work become members of the population.
/// Once one on a device was far slower than the best, the others on devices wait until the rest was tried: where the
/// device is slow, they would take all the time.
void Search::seed_population(std::vector<StartingPoint> starts) {
  const Configuration standard = space_.default_configuration();
  std::deque<StartingPoint*> waiting, on_slow_device;
  lowered_kinds_.clear();
  std::vector<Configuration> expected;
  for (StartingPoint& start : starts) {
    waiting.push_back(&start);
    expected.push_back(start.candidate.configuration);
  }
  trials_.expect(expected);
  bool is_device_slow = false;
  for (; !waiting.empty() || !on_slow_device.empty(); waiting.pop_front()) {
    if (waiting.empty()) {
      waiting.swap(on_slow_device);
      is_device_slow = false;
    }
    StartingPoint& start = *waiting.front();
    const bool is_default = start.candidate.configuration == standard;
    const bool is_on_device = space_.uses_device(start.candidate.configuration);
    if (is_device_slow && is_on_device) {
      on_slow_device.push_back(&start);
      continue;
    }
    if (is_skipped(start)) continue;
    if (is_default && is_default_hopeless()) {
      events_.on_note("size " + std::to_string(trials_.n()) + ": the default is too slow to be measured");
      continue;
    }
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
  bool has_run = trials_.measure(candidate, 1, limit);
  if (is_default && trials_.was_last_wrong() && references_.stand_in()) {
    doubt_reference();
    has_run = trials_.measure(candidate, 1, limit);
  }
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

/// Whether the default takes longer at this size than it may: it did so before, or must by what it takes on one thread.
bool Search::is_default_hopeless() const {
  if (seen_ && is_at_target()) return seen_->standard.times_ns.empty();
  const double least_s = references_.default_s(trials_.n()) / std::max(1, space_.options().max_threads);
  return references_.stand_in() && population_.has_accurate() && least_s * 1e3 > start_limit_ms();
}

/// Lets the default make the reference of this size, because it disagrees with what stood in for it. All that was
/// verified against that is forgotten.
void Search::doubt_reference() {
  const std::string size = "size " + std::to_string(trials_.n());
  events_.on_note(size + ": the default disagrees with what agreed with it\n  at size " +
                  std::to_string(references_.verification().agreed_n) + "; what the default computes counts");
  if (!trials_.renew(space_.default_configuration()))
    throw pbrt::UserError(size + ": configurations disagree, and the default is too slow to decide\n" +
                          "  hint: find the wrong one with `pbtune check --outputs`");
  references_.distrust();
  (void)population_.take_all();
  result_ = SearchResult{};
  seen_.reset();
}

/// The limit of a trial of a starting point. It is wide, because the first run of a configuration may be slow. Without
/// a time to compare with, the starting point may take some times as long as the reference did, even if no time is
/// left: else nothing would be found.
double Search::start_limit_ms() const {
  double best_ns = population_.has_accurate() ? population_.best_ns() : 0;
  if (best_ns == 0 && seen_ && is_at_target()) best_ns = median(seen_->members[0].times_ns);
  if (best_ns > 0) {
    // Where runs are long, one that ends late may take all the time that is left.
    constexpr double kMostOfTime = 0.2;
    const double most =
        std::max(kSlowestCostly * best_ns, kMostOfTime * schedule_.left_s(trials_.elapsed_s()) / trials_.work_s(1));
    return std::min(limit_ms(best_ns, kSlowestSeed * kColdFactor), limit_ms(most, 1));
  }
  const double generous = schedule_.generous_limit_ms(trials_.elapsed_s());
  return reference_ns_ > 0 ? std::max(generous, limit_ms(reference_ns_, kSlowestSeed)) : generous;
}

/// Makes and tests one child; true if it was kept.
bool Search::evolve_once() {
  if (population_.is_empty()) return false;
  std::optional<Proposal> proposal = proposals_.take();
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
  return {space_,      options_, schedule_,
          population_, default_, extra_seeds_,
          references_, trials_,  [this](const std::string& phase) { publish(phase); }};
}

void Search::confirm_best(double seconds) {
  if (!has_result()) return;
  trials_.expect({});
  const double end_s = trials_.elapsed_s() + seconds;
  const std::int64_t target_n = options_.sizes.back();
  if (trials_.n() != target_n) {
    result_.is_confirmed = false;
    references_.trust(result_.best);
    schedule_.begin_size(options_.sizes.size() - 1, trials_.elapsed_s());
    (void)population_.take_all();  // of a smaller size
    const Prepared prepared = prepare(target_n);
    if (prepared.status != PrepareStatus::Ready) return;
    default_ = seen_ ? seen_->standard : Candidate{};
    default_.configuration = space_.default_configuration();
    default_.origin = "the default";
    if (!references_.stand_in()) default_.times_ns = {prepared.reference_ns};
  }
  Finals(finals_context(), result_).confirm(end_s);
}

/// Notes the configuration to write if the search ended now: the best, unless the times known so far speak against it.
/// What was seen at the target stays while smaller sizes are tuned.
void Search::note_best() {
  if (population_.is_empty() || (seen_ && !is_at_target())) return;
  population_.sort();
  const Candidate& best = population_.best();
  result_ = make_result(best, trials_.n(), default_);
  result_.verification = references_.verification();
  const bool is_default = best.configuration == space_.default_configuration();
  result_.is_confirmed = is_default;  // it claims nothing
  if (default_.times_ns.empty() || !best.meets_accuracy) return;
  if (!is_default && seems_faster(best.times_ns, default_.times_ns)) return;
  result_ = make_result(default_, trials_.n(), default_);
  result_.verification = references_.verification();
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
// 3. Where there is a device, the target is looked at first (first_look.h), and the search stays there if it takes long
//    to make inputs. At large sizes a device may be so far ahead that all that is learnt at small sizes is in vain.
// 4. Parent and child are timed in turns, because a shared machine drifts; old times of the parent never decide.
