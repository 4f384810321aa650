// SPDX-License-Identifier: MIT
#include "autotuner/trials/joint_evaluator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pbtune {
namespace {

bool is_usable(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::Ok || outcome.kind == OutcomeKind::AccuracyMissed;
}

/// The geometric mean of those that are known.
double mean_of(const std::vector<double>& times_ns) {
  if (times_ns.size() == 1) return times_ns[0];
  double sum = 0, count = 0;
  for (const double time : times_ns) {
    if (!(time > 0)) continue;
    sum += std::log(time);
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 0;
}

/// Adds what `one` says to the outcome of all cases before it.
void add(const Outcome& one, bool higher_is_better, Outcome& all) {
  if (one.kind == OutcomeKind::AccuracyMissed) all.kind = one.kind;
  const bool is_worse = higher_is_better ? one.accuracy < all.accuracy : one.accuracy > all.accuracy;
  if (is_worse) all.accuracy = one.accuracy;
  all.max_error_rel = std::max(all.max_error_rel, one.max_error_rel);
  all.has_large_matrices = all.has_large_matrices || one.has_large_matrices;
  if (all.message.empty()) all.message = one.message;
  for (const RanChoice& ran : one.ran)
    if (std::find(all.ran.begin(), all.ran.end(), ran) == all.ran.end()) all.ran.push_back(ran);
}

}  // namespace

Outcome joined(std::span<const Outcome> outcomes, bool higher_is_better) {
  const auto failed = std::find_if_not(outcomes.begin(), outcomes.end(), is_usable);
  if (failed != outcomes.end()) return *failed;
  Outcome out = outcomes[0];
  for (const Outcome& one : outcomes) add(one, higher_is_better, out);
  std::size_t num_times = outcomes[0].times_ns.size();
  for (const Outcome& one : outcomes) num_times = std::min(num_times, one.times_ns.size());
  out.times_ns.clear();
  for (const Outcome& one : outcomes)
    out.case_times_ns.emplace_back(one.times_ns.begin(), one.times_ns.begin() + static_cast<std::ptrdiff_t>(num_times));
  for (std::size_t i = 0; i < num_times; ++i) {
    std::vector<double> times;
    for (const Outcome& one : outcomes) times.push_back(one.times_ns[i]);
    out.times_ns.push_back(mean_of(times));
  }
  return out;
}

std::string JointEvaluator::words_about(std::size_t case_id, const std::string& message) const {
  return cases_.size() == 1 || message.empty() ? message : "case `" + cases_[case_id].name + "`: " + message;
}

Prepared JointEvaluator::prepare(const PrepareSpec& spec) {
  parts_.clear();
  std::vector<double> times;
  Prepared skipped{PrepareStatus::Skipped, 0, "no case has inputs of this size"};
  Prepared out{PrepareStatus::Ready, 0, ""};
  for (std::size_t id = 0; id < cases_.size(); ++id) {
    if (!cases_[id].has_sizes && spec.n != last_n_) continue;
    Prepared one = cases_[id].prepare(spec);
    one.message = words_about(id, one.message);
    if (one.status == PrepareStatus::Skipped && spec.n != last_n_) {
      skipped = std::move(one);
      continue;
    }
    if (one.status != PrepareStatus::Ready) return one;
    if (out.message.empty()) out.message = one.message;
    out.maker = std::max(out.maker, one.maker);
    parts_.push_back({id, one.reference_ns});
    times.push_back(one.reference_ns);
  }
  if (parts_.empty()) return skipped;
  out.reference_ns = mean_of(times);
  return out;
}

/// The limit for one of the cases: beyond it, the mean is beyond `limit_ms` even if each of the cases that follow takes
/// the least that it ever took.
double JointEvaluator::limit_ms_of(std::size_t part, double limit_ms, std::span<const Outcome> before) const {
  if (limit_ms <= 0) return limit_ms;
  double log_left = static_cast<double>(parts_.size()) * std::log(limit_ms * 1e6);
  for (const Outcome& one : before)
    if (!one.times_ns.empty()) log_left -= std::log(std::max(1.0, minimum(one.times_ns)));
  for (std::size_t later = part + 1; later < parts_.size(); ++later)
    log_left -= std::log(std::max(1.0, parts_[later].least_ns));
  constexpr double kLeastMs = 5;  // a limit below this would cut off noise
  return parts_.size() == 1 ? limit_ms : std::max(kLeastMs, std::exp(log_left) * 1e-6);
}

double JointEvaluator::least_mean_ns(std::span<const Outcome> outcomes) const {
  std::vector<double> times;
  for (const Outcome& known : outcomes) times.push_back(minimum(known.times_ns));
  for (std::size_t later = outcomes.size(); later < parts_.size(); ++later) times.push_back(parts_[later].least_ns);
  return mean_of(times);
}

Outcome JointEvaluator::run(const Configuration& configuration, const RunSpec& spec) {
  std::vector<Outcome> outcomes;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    RunSpec own = spec;
    own.limit_ms = limit_ms_of(k, spec.limit_ms, outcomes);
    outcomes.push_back(cases_[parts_[k].case_id].run(configuration, own));
    Outcome& one = outcomes.back();
    one.message = words_about(parts_[k].case_id, one.message);
    const bool has_times = !one.times_ns.empty();
    if (!is_usable(one)) {
      if (has_times && parts_.size() > 1) one.times_ns = {least_mean_ns(outcomes)};
      return one;
    }
    double& least_ns = parts_[k].least_ns;
    if (has_times) least_ns = least_ns > 0 ? std::min(least_ns, minimum(one.times_ns)) : minimum(one.times_ns);
  }
  Outcome out = joined(outcomes, higher_is_better_);
  const bool is_slow = out.kind == OutcomeKind::Ok && spec.limit_ms > 0 && !out.times_ns.empty() &&
                       minimum(out.times_ns) > spec.limit_ms * 1e6;
  if (is_slow) out.kind = OutcomeKind::TimedOut;
  std::vector<Sample> times(cases_.size() > 1 ? cases_.size() : 0);
  for (std::size_t k = 0; k < parts_.size() && !times.empty(); ++k)
    times[parts_[k].case_id] = std::move(out.case_times_ns[k]);
  out.case_times_ns = std::move(times);
  return out;
}

Prepared JointEvaluator::renew(const Configuration& reference) {
  Prepared out{PrepareStatus::Ready, 0, ""};
  std::vector<double> times;
  for (const Part& part : parts_) {
    Prepared one = cases_[part.case_id].renew(reference);
    one.message = words_about(part.case_id, one.message);
    if (one.status != PrepareStatus::Ready && out.status == PrepareStatus::Ready) out = one;
    if (out.message.empty()) out.message = one.message;
    times.push_back(one.reference_ns);
  }
  out.reference_ns = mean_of(times);
  return out;
}

void JointEvaluator::expect(std::span<const Configuration> configurations) const {
  for (const Part& part : parts_)
    if (cases_[part.case_id].expect) cases_[part.case_id].expect(configurations);
}

}  // namespace pbtune

// Note [One time for several cases]
// A person wants one configuration that is good for all cases, each as much worth as the others: twice as fast for a
// small kernel counts as much as twice as fast for a large one, though the seconds that are saved differ. So the
// objective is the geometric mean of each case's time in relation to the default's. The times of the default are
// constants of the size, which no ratio of two configurations depends on. So they are left out, and the objective is
// the geometric mean of the times. It is known, then, even where the default does not end. It is no duration: what a
// run costs is the sum of the cases (Trials::work_s).
