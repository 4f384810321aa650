// SPDX-License-Identifier: MIT
#include "autotuner/trials/trials.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/seeded_fault.h"

namespace pbtune {

double limit_ms(double base_ns, double factor) {
  constexpr double kLeastLimitMs = 5.0;  // a limit below this would cut off noise
  return std::max(kLeastLimitMs, factor * base_ns * 1e-6 + 1);
}

Trials::Trials(const Space& space, Evaluator evaluator, const SearchEvents& events, const Population& population)
    : space_(space),
      evaluator_(std::move(evaluator)),
      events_(events),
      population_(population),
      device_attempts_(space.index()) {}

Prepared Trials::begin_size(const PrepareSpec& spec) {
  const double begin_s = evaluator_.elapsed_s();
  Prepared prepared = evaluator_.prepare(spec);
  if (prepared.status != PrepareStatus::Ready) return prepared;
  prepare_s_ = evaluator_.elapsed_s() - begin_s;
  n_ = spec.n;
  overhead_s_ = num_runs_ = 0;
  work_factor_ = 1;
  return prepared;
}

bool Trials::renew(const Configuration& reference) {
  return evaluator_.renew && evaluator_.renew(reference).status == PrepareStatus::Ready;
}

/// Notes the choices of runs that crashed or hung, which cost a restart and a wait. Choices that were in several of
/// them and in no run that ended are left alone.
void Trials::blame(const Configuration& configuration, const Outcome& outcome) {
  const bool is_hang = outcome.kind == OutcomeKind::TimedOut && outcome.times_ns.empty();
  const bool is_fatal = is_hang || outcome.kind == OutcomeKind::Crashed;
  for (const RanChoice& ran : outcome.ran) ++records_[{ran.site, ran.alternative}].num_good;
  if (!is_fatal) return;
  for (const SiteGene& gene : space_.sites()) {
    Record& record = records_[{gene.id, configuration.sites[static_cast<std::size_t>(gene.id)].select(n_)}];
    ++record.num_fatal;
  }
}

bool Trials::is_hopeless(const Configuration& configuration) const {
  constexpr int kEnough = 2;
  return std::any_of(space_.sites().begin(), space_.sites().end(), [&](const SiteGene& gene) {
    const auto found = records_.find({gene.id, configuration.sites[static_cast<std::size_t>(gene.id)].select(n_)});
    return found != records_.end() && found->second.num_good == 0 && found->second.num_fatal >= kEnough;
  });
}

/// Notes how long the trials took in relation to their times. Returns the duration in seconds.
double Trials::note_work(const Outcome& outcome) {
  constexpr double kWeight = 0.2;  // of a run, in the average of the recent ones
  double times_ns = 0, work_ns = 0;
  for (const double time : outcome.times_ns) times_ns += time;
  for (const Sample& times : outcome.case_times_ns)
    for (const double time : times) work_ns += time;
  if (outcome.case_times_ns.empty() || !(times_ns > 0)) return times_ns * 1e-9;
  const double factor = work_ns / times_ns;
  work_factor_ += (factor - work_factor_) * (work_factor_ == 1 ? 1 : kWeight);
  return work_ns * 1e-9;
}

double Trials::rank_of_accuracy(double accuracy) const {
  return space_.options().accuracy.higher_is_better ? accuracy : -accuracy;
}

bool Trials::measure(Candidate& candidate, int trials, double limit, bool is_side_by_side) {
  if (trials < 1) return true;
  RunSpec spec{trials, limit, candidate.origin, is_side_by_side};
  events_.on_trying(candidate.origin);
  const double begin_s = evaluator_.elapsed_s();
  const Outcome outcome = evaluator_.run(candidate.configuration, spec);
  ++num_measured_;
  double beside_s = evaluator_.elapsed_s() - begin_s;
  beside_s -= note_work(outcome);
  overhead_s_ += (std::max(0.0, beside_s) - overhead_s_) / ++num_runs_;
  blame(candidate.configuration, outcome);
  device_attempts_.note(n_, candidate.configuration, outcome);
  was_last_wrong_ = outcome.kind == OutcomeKind::Wrong;
  const bool has_times = !outcome.times_ns.empty();
  const bool is_endless = outcome.kind == OutcomeKind::TimedOut && !has_times;
  last_ns_ = is_endless ? HUGE_VAL : has_times ? minimum(outcome.times_ns) : 0;
  const bool is_usable = outcome.kind == OutcomeKind::Ok || outcome.kind == OutcomeKind::AccuracyMissed ||
                         (outcome.kind == OutcomeKind::Wrong && PB_FAULT(wrong_may_win));
  if (!is_usable || !has_times) {
    const bool is_fast =
        outcome.kind == OutcomeKind::Wrong && has_times && minimum(outcome.times_ns) < population_.best_ns();
    events_.on_failed(candidate, outcome, is_fast);
    return false;
  }
  const double accuracy = rank_of_accuracy(outcome.accuracy);
  const bool is_first = candidate.times_ns.empty();
  candidate.meets_accuracy =
      (is_first || candidate.meets_accuracy) && outcome.kind == OutcomeKind::Ok && !candidate.is_refuted;
  candidate.accuracy = is_first ? accuracy : std::min(candidate.accuracy, accuracy);
  candidate.times_ns.insert(candidate.times_ns.end(), outcome.times_ns.begin(), outcome.times_ns.end());
  if (is_first || candidate.case_times_ns.size() != outcome.case_times_ns.size())
    candidate.case_times_ns = outcome.case_times_ns;
  else
    for (std::size_t k = 0; k < outcome.case_times_ns.size(); ++k)
      candidate.case_times_ns[k].insert(candidate.case_times_ns[k].end(), outcome.case_times_ns[k].begin(),
                                        outcome.case_times_ns[k].end());
  if (!outcome.ran.empty()) candidate.ran = outcome.ran;
  candidate.has_large_matrices = candidate.has_large_matrices || outcome.has_large_matrices;
  return true;
}

double Trials::factor_of_last(double base_ns) const { return last_ns_ > 0 && base_ns > 0 ? last_ns_ / base_ns : 1; }

void Trials::confirm(Candidate& candidate) {
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
    candidate.accuracy = std::min(candidate.accuracy, rank_of_accuracy(outcome.accuracy));
}

}  // namespace pbtune
