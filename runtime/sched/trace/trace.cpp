// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/trace.h"

#include <algorithm>
#include <utility>

#include "runtime/config/runtime_check.h"

namespace pbrt {

namespace {

std::string worker_name(int index) { return "worker " + std::to_string(index); }

void add_totals(std::vector<RuleTotals>& all, const RuleDesc& rule, const RuleMeasure& measure) {
  auto found = std::find_if(all.begin(), all.end(), [&](const RuleTotals& known) {
    return known.rule == rule.name && known.version == rule.version;
  });
  if (found == all.end()) found = all.insert(all.end(), {rule.name, rule.version, 0, 0, 0, 0});
  found->count += measure.count;
  found->cells += measure.cells;
  found->time_ns += measure.time_ns;
  found->num_timed += measure.num_timed;
}

/// Corrects estimates that took more time from the rules around them than those had: gives the excess back, so that the
/// sum stays what it was.
void give_back_excess(std::vector<RuleTotals>& rules) {
  std::int64_t excess_ns = 0;
  std::int64_t estimated_ns = 0;
  for (RuleTotals& each : rules) {
    excess_ns += std::max<std::int64_t>(0, -each.time_ns);
    each.time_ns = std::max<std::int64_t>(0, each.time_ns);
    if (each.is_estimated()) estimated_ns += each.time_ns;
  }
  for (RuleTotals& each : rules) {
    if (excess_ns == 0 || !each.is_estimated() || each.time_ns == 0) continue;
    const double part = static_cast<double>(each.time_ns) / static_cast<double>(estimated_ns);
    const bool is_last = each.time_ns == estimated_ns;
    const auto share_ns = is_last ? excess_ns : static_cast<std::int64_t>(part * static_cast<double>(excess_ns));
    estimated_ns -= each.time_ns;
    excess_ns -= share_ns;
    each.time_ns = std::max<std::int64_t>(0, each.time_ns - share_ns);
  }
}

/// The least time from one reading of the clock to the next.
std::int64_t measure_clock() {
  std::int64_t least = 1000;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t start = trace_clock_ns();
    least = std::min(least, trace_clock_ns() - start);
  }
  return least;
}

}  // namespace

// ---- the trace ------------------------------------------------------------------------------

Trace::Trace(bool keeps_events) : keeps_events_(keeps_events), made_ns_(trace_clock_ns()), clock_ns_(measure_clock()) {}

TraceLane& Trace::lane(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return find(name);
}

TraceLane& Trace::find(const std::string& name) {
  for (const auto& lane : lanes_)
    if (lane->name() == name) return *lane;
  lanes_.push_back(std::make_unique<TraceLane>(name, static_cast<int>(lanes_.size()),
                                               keeps_events_ ? &budget_ : nullptr, clock_ns_));
  return *lanes_.back();
}

TraceLane& Trace::worker(int index) { return lane(worker_name(index)); }

void Trace::begin_run(std::string label, int num_workers) {
  const std::lock_guard lock(mutex_);
  for (const auto& lane : lanes_) lane->rules().forget();
  at_start_.clear();
  const std::int64_t start = trace_clock_ns();
  for (int i = 0; i < num_workers; ++i) at_start_.push_back(find(worker_name(i)).clock().times(start));
  runs_.push_back({std::move(label), num_workers, start, 0, {}});
}

RunProfile Trace::end_run() {
  const std::int64_t end = trace_clock_ns();
  const std::lock_guard lock(mutex_);
  RunProfile profile;
  for (std::size_t i = 0; i < at_start_.size(); ++i) {
    const WorkerTimes& before = at_start_[i];
    const WorkerTimes after = find(worker_name(static_cast<int>(i))).clock().times(end);
    profile.workers.push_back({after.busy_ns - before.busy_ns, after.search_ns - before.search_ns,
                               after.idle_ns - before.idle_ns, after.num_steals - before.num_steals});
  }
  for (const auto& lane : lanes_) {
    lane->rules().settle_counters(nullptr);
    lane->rules().for_each(
        [&](const RuleDesc& rule, const RuleMeasure& measure) { add_totals(profile.rules, rule, measure); });
  }
  give_back_excess(profile.rules);
  std::stable_sort(profile.rules.begin(), profile.rules.end(),
                   [](const RuleTotals& a, const RuleTotals& b) { return a.time_ns > b.time_ns; });
  PBRT_CHECK(!runs_.empty() && runs_.back().end_ns == 0, "a run ends after it began");
  runs_.back().end_ns = end;
  runs_.back().profile = profile;
  return profile;
}

std::vector<Trace::Run> Trace::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

std::vector<const TraceLane*> Trace::lanes() const {
  const std::lock_guard lock(mutex_);
  std::vector<const TraceLane*> result;
  for (const auto& lane : lanes_) result.push_back(lane.get());
  return result;
}

}  // namespace pbrt
